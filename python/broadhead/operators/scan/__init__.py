"""Reading files: splits, statistics, footers."""
