"""The default rule beside a greedy one, and capital transfer beside none, on fresh instances."""
