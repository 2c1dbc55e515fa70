"""Physical operators, one file each."""
