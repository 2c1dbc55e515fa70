"""The code of a task in Spark's Python worker."""
