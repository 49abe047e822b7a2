"""The benchmark: satisfice's default against other procedures, over a family of instances.

family says on what, contestants who, measure runs them, bars says what must hold, page and figure show it.
"""
