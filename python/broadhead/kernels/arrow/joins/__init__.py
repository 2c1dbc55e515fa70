"""The hash tables of joins."""
