"""Aggregates of ranges of rows."""
