"""What many workers on one search cost and gain, in simulated time."""
