-- least, which skips nulls.

query
SELECT least(b, b2), least(s, s2, 3S), least(i, i2), least(l, l2, b), least(i, NULL), least(1, 2) FROM integers

query
SELECT least(d, d2), least(f, f2, 1) FROM floats

query
SELECT least(a, a2), least(w, w2, 1.5) FROM decimals

query
SELECT least(s, p), least(s, 'b', p) FROM strings

query
SELECT least(d, d2) FROM dates

query
SELECT least(p, q) FROM booleans

query
SELECT least(i, 1) FROM empty
