"""What a live study costs beside its evaluations: one ask and one tell in memory, on SQLite, with many workers."""
