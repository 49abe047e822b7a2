"""How fast the simulator is, and how soon it starts."""
