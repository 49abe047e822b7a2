"""Noise models: what may be declared about how a metric scatters, and all that follows from it."""
