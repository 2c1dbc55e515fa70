-- Quotient without its fraction.

query
SELECT i div i2, b div l2, l div 2, 7 div i2, s div s2 FROM small_integers

query ansi_error(DIVIDE_BY_ZERO)
SELECT i div i2 FROM integers

query ansi_error(DIVIDE_BY_ZERO)
SELECT l div 0 FROM integers

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT l div l2 FROM integers WHERE l2 = -1

query
SELECT l div l2 FROM integers WHERE l2 > 0

query
SELECT a div a2, a div m2, m div a2, m div m2, w div a2, a div 3, a div 0.7 FROM decimals

query ansi_error(DIVIDE_BY_ZERO)
SELECT a div z FROM zero_decimals

-- A quotient beyond BIGINT is left to Spark.
query replay
SELECT v div v2 FROM wide_decimals WHERE v2 > 1

query
SELECT i div 2, m div m FROM empty
