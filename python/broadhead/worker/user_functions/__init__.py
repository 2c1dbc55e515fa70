"""Calls of the user's Python functions by the code of PySpark's own worker."""
