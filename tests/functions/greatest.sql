-- greatest, which skips nulls.

query
SELECT greatest(b, b2), greatest(s, s2, 3S), greatest(i, i2), greatest(l, l2, b), greatest(i, NULL), greatest(1, 2) FROM integers

query
SELECT greatest(d, d2), greatest(f, f2, 1) FROM floats

query
SELECT greatest(a, a2), greatest(w, w2, 1.5) FROM decimals

query
SELECT greatest(s, p), greatest(s, 'b', p) FROM strings

query
SELECT greatest(d, d2) FROM dates

query
SELECT greatest(p, q) FROM booleans

query
SELECT greatest(i, 1) FROM empty
