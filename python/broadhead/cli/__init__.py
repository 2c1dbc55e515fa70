"""The `broadhead` command."""
