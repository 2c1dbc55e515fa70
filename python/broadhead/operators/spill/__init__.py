"""Files of rows that do not fit in memory."""
