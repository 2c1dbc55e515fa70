"""Window functions over sorted partitions."""
