"""satisfice beside its peers: what asking and telling costs, evaluations that are awaited, tables of all."""
