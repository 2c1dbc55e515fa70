"""Operators that call the user's Python functions."""
