"""SQL functions: Spark's semantics, written on the kernels."""
