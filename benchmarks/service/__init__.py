"""How fast the service takes the steps of many workers."""
