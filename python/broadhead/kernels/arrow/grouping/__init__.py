"""Ways to group rows, and what groups are reduced by."""
