"""Reading of values from texts: columns of plain texts at once, other texts one by one."""
