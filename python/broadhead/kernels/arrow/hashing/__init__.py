"""Hashes of rows, and their partitions."""
