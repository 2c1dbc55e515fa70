"""Aggregation: groups, their buffers, and merging them."""
