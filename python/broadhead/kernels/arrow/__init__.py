"""The CPU kernels: pyarrow and numpy."""
