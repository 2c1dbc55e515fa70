-- max, and what Spark rewrites to it: any, bool_or, some.

query
SELECT max(b), max(s), max(i), max(l), max(f), max(d), max(a), max(w), max(p), max(st), max(bin), max(x), max(t), max(n), max(1) FROM everything

query
SELECT g, max(b), max(s), max(i), max(l), max(f), max(d), max(a), max(w), max(p), max(st), max(bin), max(x), max(t), max(n) FROM everything GROUP BY g

query
SELECT some(p), any(p), bool_or(p), bool_or(i > 0) FROM everything

query
SELECT g, some(p), any(p), bool_or(p), bool_or(i > 0) FROM everything GROUP BY g

query
SELECT max(d), max(f), max(d2) FROM floats

query
SELECT d2, max(d), max(f) FROM finite_floats WHERE d <> 0 GROUP BY d2

query
SELECT max(i) FILTER (WHERE p), max(DISTINCT st) FROM everything

query
SELECT max(w), max(z), max(v) FROM wide_decimals

query
SELECT max(i), max(s), max(t), max(p) FROM empty

query
SELECT max(d), max(f), max(d2), max(-d), max(-f2) FROM floats WHERE d = 0 AND d2 = 0

query
SELECT f2, max(d), max(-f) FROM floats WHERE d = 0 GROUP BY f2

query
SELECT abs(f2) AS size, max(-d2), max(f2) FROM floats GROUP BY size

query
SELECT d, d2, max(d) OVER (PARTITION BY abs(d2) ORDER BY d DESC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM floats WHERE d = 0
