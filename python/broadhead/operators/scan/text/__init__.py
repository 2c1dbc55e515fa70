"""Text: each line of a split is a row."""
