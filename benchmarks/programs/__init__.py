"""What `satisfice run` costs on top of a short program, beside hyperfine."""
