"""Arrow arrays as numpy arrays, in the layouts of the engine and of Spark."""
