-- Sum of two numbers.

query
SELECT b + b2, s + s2, i + i2, l + l2, b + i2, s + l2, i + 3, 3 + i, 5 + 7, l + NULL FROM small_integers

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT i + i2 FROM integers

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT l + l2 FROM integers

query ansi_error(BINARY_ARITHMETIC_OVERFLOW)
SELECT b + b2 FROM integers

query ansi_error(BINARY_ARITHMETIC_OVERFLOW)
SELECT s + s2 FROM integers

query
SELECT try_add(i, i2), try_add(l, l2), try_add(i, 2), try_add(l, 9223372036854775807) FROM integers

query
SELECT f + f2, d + d2, f + d2, d + 0.5D, 1D + d FROM floats

query
SELECT a + a2, a + m2, m + a2, m + m2, w + a2, a + 1.5, 2 + m, a + 3 FROM decimals

query
SELECT w + w2 FROM wide_decimals

query ansi_error(NUMERIC_VALUE_OUT_OF_RANGE)
SELECT z + z2 FROM wide_decimals

query
SELECT try_add(w, w2), try_add(z, z2), try_add(v, v2) FROM wide_decimals

query
SELECT v + v2 FROM wide_decimals WHERE v < 1000

query
SELECT i + i, l + 1, d + d, m + m FROM empty

-- A row that does not reach the branch must not fail.
query
SELECT CASE WHEN i BETWEEN -1000 AND 1000 AND i2 BETWEEN -1000 AND 1000 THEN i + i2 ELSE 0 END,
  if(l BETWEEN -1000 AND 1000 AND l2 BETWEEN -1000 AND 1000, l + l2, NULL) FROM integers
