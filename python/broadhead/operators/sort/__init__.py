"""Sorting: runs, merging them, and the first rows of an order."""
