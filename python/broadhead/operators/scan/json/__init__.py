"""JSON lines: plain objects are read as columns, all other lines by Spark's own parser."""
