"""The demonstration: 22 queries derived from TPC-H on plain Spark and on Broadhead, compared."""
