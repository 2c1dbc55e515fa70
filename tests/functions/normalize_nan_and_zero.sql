-- Floating-point grouping keys: NaNs are one group, zeros are one.

query
SELECT d, count(*) FROM floats GROUP BY d

query
SELECT f, d2, count(*) FROM floats GROUP BY f, d2

query
SELECT DISTINCT d FROM floats
