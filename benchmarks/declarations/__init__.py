"""What each way of asking costs, against the bars that it must keep."""
