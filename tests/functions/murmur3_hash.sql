-- Spark's hash of all types, by which rows find their partitions.
-- CONFIG spark.sql.legacy.allowHashOnMapType=true

query
SELECT hash(b), hash(s), hash(i), hash(l), hash(b, s, i, l), hash(i2, l2, i), hash(7, l), hash(NULL, i) FROM integers

query
SELECT hash(f), hash(d), hash(f, d), hash(d2, f2), hash(-0.0D, d), hash(1.5D, f) FROM floats

query
SELECT hash(a), hash(m), hash(w), hash(a, m, w, a2, m2, w2), hash(1.5BD, a) FROM decimals

query
SELECT hash(w), hash(z), hash(v), hash(w2, z2, v2) FROM wide_decimals

query
SELECT hash(p), hash(p, q), hash(true, q) FROM booleans

query
SELECT hash(s), hash(p), hash(bin), hash(s, p, i, bin), hash('a', s), hash(X'80', s), hash('éééééééééé', p) FROM strings

query
SELECT hash(d), hash(d, d2, n), hash(DATE'2020-01-01', n8, n16) FROM dates

query
SELECT hash(t), hash(n), hash(t, n, d) FROM timestamps

query
SELECT count(*) FROM everything WHERE pmod(hash(b, s, i, l, f, d, a, w, p, st, bin, x, t, n), 2) = 0

query
SELECT hash(i), hash(i, l, d, m, s, t, p, x) FROM empty

query
SELECT i, hash(r), hash(a), hash(words), hash(deep), hash(o), hash(r, i, a, deep) FROM nested

query since=4.0
SELECT i, hash(m), hash(i, m, o) FROM nested
