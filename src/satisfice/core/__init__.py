"""The pure core: the problem, the statistics of arms, sampling rules, stopping rules, decisions and bounds."""
