-- avg.

query
SELECT avg(b), avg(s), avg(i), avg(a), avg(w), avg(i % 7 + 1), avg(1) FROM everything

query
SELECT g, avg(b), avg(s), avg(i), avg(a), avg(w) FROM everything GROUP BY g

query
SELECT avg(d), avg(f), avg(d2) FROM finite_floats

query
SELECT d, avg(d2) FROM floats GROUP BY d

query
SELECT avg(b), avg(s), avg(i), avg(l) FROM small_integers

query
SELECT avg(v) FROM wide_decimals WHERE w < 1000

query
SELECT try_avg(i), try_avg(l) FROM small_integers

query
SELECT avg(DISTINCT i), count(DISTINCT i), avg(s) FROM everything

query
SELECT avg(i) FILTER (WHERE p) FROM everything

query
SELECT avg(i), avg(d), avg(m) FROM empty
