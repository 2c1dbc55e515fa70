-- count.

query
SELECT count(*), count(1), count(NULL), count(b), count(st), count(bin), count(t, x), count(g, i, d) FROM everything

query
SELECT g, count(*), count(f), count(a), count(p) FROM everything GROUP BY g

query
SELECT count(DISTINCT i, l), count(st) FROM everything

query
SELECT g, count(DISTINCT st), count(*), sum(s) FROM everything GROUP BY g

query
SELECT count(DISTINCT d) FROM floats

query
SELECT d2, count(DISTINCT f) FROM floats GROUP BY d2

query
SELECT count(DISTINCT g), count(DISTINCT p) FROM everything

query
SELECT count(*) FILTER (WHERE p), count(i) FILTER (WHERE a > 0) FROM everything

query
SELECT count_if(p), count_if(i > 1) FROM everything

query
SELECT count(*), count(i), count(DISTINCT s) FROM empty
