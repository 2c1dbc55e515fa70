"""Operators that pass, create, repeat or select rows."""
