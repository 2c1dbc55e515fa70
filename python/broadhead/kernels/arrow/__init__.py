"""The kernels on pyarrow and numpy, for executors without a GPU."""
