"""Our own bars: speed of the simulator (speed), cost of a live study (live), evaluations needed (evaluations).

`make bench` measures the first two, as medians of rounds in one run on one machine; `make compare` the third.
"""
