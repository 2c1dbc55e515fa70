"""Sort keys as integers."""
