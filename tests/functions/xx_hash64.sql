-- xxhash64 of all types.
-- CONFIG spark.sql.legacy.allowHashOnMapType=true

query
SELECT xxhash64(b), xxhash64(s), xxhash64(i), xxhash64(l), xxhash64(b, s, i, l), xxhash64(i2, l2, i), xxhash64(7, l), xxhash64(NULL, i) FROM integers

query
SELECT xxhash64(f), xxhash64(d), xxhash64(f, d), xxhash64(d2, f2), xxhash64(-0.0D, d), xxhash64(1.5D, f) FROM floats

query
SELECT xxhash64(a), xxhash64(w), xxhash64(a, m, w, a2, m2, w2), xxhash64(1.5BD, a) FROM decimals

query
SELECT xxhash64(p, q), xxhash64(true, q) FROM booleans

query
SELECT xxhash64(s), xxhash64(bin), xxhash64(s, p, i, bin), xxhash64('a', s), xxhash64(X'80', s) FROM strings

query
SELECT xxhash64(b, s, i, l, f, d, a, w, p, st, bin, x, t, n) FROM everything

query
SELECT xxhash64(i), xxhash64(i, l, d, m, s, t, p, x) FROM empty

query since=4.0
SELECT i, xxhash64(r), xxhash64(a), xxhash64(words), xxhash64(deep), xxhash64(o), xxhash64(m), xxhash64(r, i, a, deep) FROM nested
