-- Written by DataFrame.dropna only: tests/spark/test_dropna.py runs it. Here are the conditions that it stands for.

query
SELECT i FROM everything WHERE i IS NOT NULL AND NOT isnan(d)
