"""TPC-DS: its data, made by Trino's generator, and its queries as Spark's own tests have them."""
