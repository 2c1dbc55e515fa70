"""Spark's event logs, and the reports that Broadhead makes of them."""
