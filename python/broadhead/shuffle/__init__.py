"""Shuffle files: see docs/wire-format.md, section 4."""
