"""What runs in Spark's Python worker."""
