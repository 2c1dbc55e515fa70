"""Scans of files: the operator, and a folder for each format."""
