"""Operators that pass, make, multiply or choose rows."""
