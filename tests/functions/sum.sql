-- sum.

query
SELECT sum(b), sum(s), sum(i), sum(l), sum(a), sum(w), sum(i % 7 + 1), sum(1), sum(NULL) FROM everything

query
SELECT g, sum(b), sum(s), sum(i), sum(l), sum(a), sum(w), sum(a * 2), count(*) FROM everything GROUP BY g

query
SELECT sum(d), sum(f), sum(d2) FROM finite_floats

query
SELECT d2, sum(d), sum(f) FROM finite_floats GROUP BY d2

query
SELECT d, sum(d2), sum(f2) FROM floats GROUP BY d

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT sum(l) FROM integers WHERE l > 0

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT b % 2 AS p, sum(l) FROM integers WHERE l > 0 GROUP BY p

query replay ansi_error(ARITHMETIC_OVERFLOW)
SELECT sum(z) FROM wide_decimals WHERE z > 0

query replay
SELECT try_sum(l), try_sum(i) FROM integers WHERE l > 0

query replay
SELECT try_sum(w), try_sum(v) FROM wide_decimals

query
SELECT sum(DISTINCT a), count(DISTINCT a), sum(i) FROM everything

query
SELECT sum(i) FILTER (WHERE p), sum(a) FILTER (WHERE i > 0) FROM everything

query
SELECT sum(i), sum(l), sum(d), sum(m) FROM empty

query
SELECT i, sum(l) FROM empty GROUP BY i
