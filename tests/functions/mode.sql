-- mode; of several most frequent values Spark may take any, unless the order says which.

query
SELECT mode(b), mode(s), mode(i), mode(l), mode(f), mode(a), mode(w) FROM everything WHERE g IS NULL OR i = 1

query since=4.0
SELECT mode(b, true), mode(st, true), mode(bin, true), mode(i, true), mode(x, true), mode(p, true) FROM everything

query since=4.0
SELECT g, mode(i, true), mode(st, true), mode() WITHIN GROUP (ORDER BY a DESC), mode() WITHIN GROUP (ORDER BY l), mode(p, true) FILTER (WHERE i > 0) FROM everything GROUP BY g

query replay since=4.0
SELECT d2, mode(d, true) FROM floats GROUP BY d2

query since=4.0
SELECT i, mode(i2, true) OVER (PARTITION BY b), mode(s2, true) OVER (PARTITION BY b ORDER BY l2) FROM small_integers

query
SELECT mode(i), mode(s) FROM empty
