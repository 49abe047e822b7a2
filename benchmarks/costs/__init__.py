"""Money of the default rule where evaluations cost differently, against the same rule that does not know."""
