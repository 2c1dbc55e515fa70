"""Suites of measurements: one module each, with one function `run(options, results)`."""
