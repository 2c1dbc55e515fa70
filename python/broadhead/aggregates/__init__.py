"""SQL aggregates: Spark's semantics, written on the kernels."""
