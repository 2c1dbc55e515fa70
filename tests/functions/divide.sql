-- Quotient of two numbers.

query
SELECT i / i2, b / l2, l / 2, 7 / i2, l / 0.1D FROM small_integers

query
SELECT d / d2, f / f2, f / d2, d / 3, 1 / d2 FROM finite_floats

query ansi_error(DIVIDE_BY_ZERO)
SELECT d / d2 FROM floats

query ansi_error(DIVIDE_BY_ZERO)
SELECT i / i2 FROM integers

query ansi_error(DIVIDE_BY_ZERO)
SELECT i / 0 FROM integers

query ansi_error(DIVIDE_BY_ZERO)
SELECT a / z FROM zero_decimals

query
SELECT try_divide(d, d2), try_divide(f, f2), try_divide(d, 0) FROM floats

query
SELECT a / a2, a / m2, m / a2, m / m2, w / a2, a / 3, 1 / a2, m / 7.00 FROM decimals

query
SELECT try_divide(w, w2), try_divide(v, v2), try_divide(z, z2) FROM wide_decimals

query
SELECT a / z FROM zero_decimals WHERE z <> 0

query
SELECT CASE WHEN i2 <> 0 THEN i / i2 END FROM integers

query
SELECT i / i, d / d, m / m FROM empty

query
SELECT w / w2, w / v2, w / 1BD, CAST(w AS DECIMAL(38,9)) / CAST(w2 AS DECIMAL(38,6)) FROM wide_decimals WHERE w2 >= 1 OR w2 <= -1
