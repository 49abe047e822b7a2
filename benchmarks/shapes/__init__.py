"""What the verdict on an undeclared metric is worth, by the shape of its results."""
