"""The HTML that results show in notebooks."""
