-- Nulls of every type; NaN is none.

query
SELECT g IS NULL, b IS NULL, s IS NULL, i IS NULL, l IS NULL, f IS NULL, d IS NULL, a IS NULL, w IS NULL, p IS NULL, st IS NULL, bin IS NULL, x IS NULL, t IS NULL, n IS NULL, NULL IS NULL, 1 IS NULL FROM everything

query
SELECT i, st FROM everything WHERE i IS NULL

query
SELECT i IS NULL FROM empty
