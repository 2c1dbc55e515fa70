"""Joins: build and probe sides, matching, and spilling both sides."""
