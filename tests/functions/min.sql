-- min, and what Spark rewrites to it: bool_and, every.

query
SELECT min(b), min(s), min(i), min(l), min(f), min(d), min(a), min(w), min(p), min(st), min(bin), min(x), min(t), min(n), min(1) FROM everything

query
SELECT g, min(b), min(s), min(i), min(l), min(f), min(d), min(a), min(w), min(p), min(st), min(bin), min(x), min(t), min(n) FROM everything GROUP BY g

query
SELECT every(p), bool_and(p), bool_and(i > 0) FROM everything

query
SELECT g, every(p), bool_and(p), bool_and(i > 0) FROM everything GROUP BY g

query
SELECT min(d), min(f), min(d2) FROM floats

query
SELECT d2, min(d), min(f) FROM finite_floats WHERE d <> 0 GROUP BY d2

query
SELECT min(i) FILTER (WHERE p), min(DISTINCT st) FROM everything

query
SELECT min(w), min(z), min(v) FROM wide_decimals

query
SELECT min(i), min(s), min(t), min(p) FROM empty

query
SELECT min(d), min(f), min(d2), min(-d), min(-f2) FROM floats WHERE d = 0 AND d2 = 0

query
SELECT f2, min(d), min(-f) FROM floats WHERE d = 0 GROUP BY f2

query
SELECT abs(f2) AS size, min(-d2), min(f2) FROM floats GROUP BY size

query
SELECT d, d2, min(d) OVER (PARTITION BY abs(d2) ORDER BY d DESC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM floats WHERE d = 0
