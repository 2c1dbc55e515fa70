"""Parquet: row groups of splits, pruned by their statistics."""
