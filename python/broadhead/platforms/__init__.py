"""Configurations of the platforms that run Spark: the files that `broadhead conf --for` prints."""
