-- What is left after division, made positive.

query
SELECT pmod(b, b2), pmod(s, s2), pmod(i, i2), pmod(l, l2), pmod(b, l2), pmod(i, 3), pmod(-7, i2), pmod(l, -5) FROM small_integers

query ansi_error(REMAINDER_BY_ZERO|DIVIDE_BY_ZERO)
SELECT pmod(b, b2) FROM integers

query
SELECT pmod(b, b2), pmod(s, s2), pmod(i, i2), pmod(l, l2) FROM integers WHERE b2 <> 0 AND s2 <> 0

query ansi_error(REMAINDER_BY_ZERO|DIVIDE_BY_ZERO)
SELECT pmod(d, d2) FROM floats

query
SELECT pmod(d, d2), pmod(f, f2), pmod(d, 0.7D), pmod(-7.5D, d2) FROM finite_floats

query
SELECT pmod(d, d2), pmod(f, f2) FROM floats WHERE d2 <> 0

query
SELECT pmod(a, a2), pmod(a, m2), pmod(m, a2), pmod(m, m2), pmod(w, a2), pmod(a, 3), pmod(a, 0.7) FROM decimals

query ansi_error(REMAINDER_BY_ZERO|DIVIDE_BY_ZERO)
SELECT pmod(a, z) FROM zero_decimals

query replay
SELECT pmod(v, v2), pmod(v, 7) FROM wide_decimals WHERE v2 <> 0

query
SELECT pmod(i, 2), pmod(m, m), pmod(d, d) FROM empty
