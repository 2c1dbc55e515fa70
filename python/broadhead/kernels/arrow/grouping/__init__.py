"""Grouping of rows, and reductions of groups."""
