"""Case, collation and validity of strings."""
