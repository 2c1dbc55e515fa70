"""Files that scans read: their bytes, local or fetched, and what their footers say."""
