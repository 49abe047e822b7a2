"""How many evaluations satisfice's default needs beside other procedures, over a family of instances: `make compare`.

family says on what, contestants who, measure runs them, bars says what must hold; page, figure and terminal show it.
"""
