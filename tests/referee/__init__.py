"""Logs of studies of every kind, as they were recorded: what they say must stay what it is."""
