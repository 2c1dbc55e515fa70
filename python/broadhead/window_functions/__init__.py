"""Window functions and frames: Spark's semantics, written on the kernels."""
