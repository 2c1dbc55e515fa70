"""Compilation and evaluation of expressions."""
