"""Footers of Parquet files."""
