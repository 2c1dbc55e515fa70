"""Exact arithmetic beyond 64 bits."""
