"""CSV: plain lines are read as columns, all others by Spark's own parser."""
