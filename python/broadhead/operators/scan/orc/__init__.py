"""ORC: stripes of splits, decoded on the host."""
