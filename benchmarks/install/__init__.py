"""What was built, installed into empty environments and tried there."""
