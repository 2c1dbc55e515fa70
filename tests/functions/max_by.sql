-- COVERS MaxBy MinBy
-- max_by and min_by; the tables have one file, so that the last of equal rows is known.

query
SELECT max_by(b, i), max_by(st, l), max_by(bin, f), max_by(p, d), max_by(x, a), max_by(t, w), max_by(n, x), max_by(f, st), max_by(w, bin), max_by(g, t) FROM everything

query
SELECT min_by(b, i), min_by(st, l), min_by(bin, f), min_by(p, d), min_by(x, a), min_by(t, w), min_by(n, x), min_by(f, st), min_by(w, bin), min_by(g, t) FROM everything

query
SELECT g, max_by(b, i), max_by(p, d), max_by(x, a), max_by(d, st), min_by(i, f), min_by(t, n), max_by(i, l) FILTER (WHERE p) FROM everything GROUP BY g

query
SELECT d, max_by(d2, f2), min_by(d2, f2), max_by(d2, d), min_by(f2, d) FROM floats GROUP BY d

query
SELECT i % 3, max_by(a, i), min_by(r, i), max_by(m, i) FROM nested GROUP BY i % 3

query
SELECT i, max_by(i2, l2) OVER (PARTITION BY b ORDER BY i2 ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING), min_by(i2, l2) OVER (PARTITION BY b ORDER BY i2), max_by(b2, -l2) OVER (PARTITION BY b) FROM small_integers

query
SELECT g, max_by(i, struct(l, i)), min_by(st, struct(f, d, i)), max_by(i, if(i > 2, struct(l, i), NULL)) FROM everything GROUP BY g

query
SELECT max_by(i, a), min_by(i, struct(a, r, i)), min_by(i, if(i < 0, a, NULL)) FROM nested

query
SELECT i, max_by(i2, struct(l2, i2)) OVER (PARTITION BY b ORDER BY i2 ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING) FROM small_integers

query
SELECT max_by(i, struct(l, i)), min_by(i, struct(i)) FROM empty

query
SELECT max_by(i, l), min_by(s, d) FROM empty
