-- What is left after division.

query
SELECT b % b2, s % s2, i % i2, l % l2, b % l2, i % 3, -7 % i2, l % -5 FROM small_integers

query ansi_error(REMAINDER_BY_ZERO|DIVIDE_BY_ZERO)
SELECT b % b2 FROM integers

query
SELECT b % b2, s % s2, i % i2, l % l2 FROM integers WHERE b2 <> 0 AND s2 <> 0

query ansi_error(REMAINDER_BY_ZERO|DIVIDE_BY_ZERO)
SELECT d % d2 FROM floats

query
SELECT d % d2, f % f2, d % 0.7D, -7.5D % d2 FROM finite_floats

query
SELECT d % d2, f % f2 FROM floats WHERE d2 <> 0

query
SELECT a % a2, a % m2, m % a2, m % m2, w % a2, a % 3, a % 0.7 FROM decimals

query ansi_error(REMAINDER_BY_ZERO|DIVIDE_BY_ZERO)
SELECT a % z FROM zero_decimals

query
SELECT v % v2, v % 7 FROM wide_decimals WHERE v2 <> 0

query
SELECT i % 2, m % m, d % d FROM empty

query error(Division impossible)
SELECT w % 0.00000000000000000000000000000000000007 FROM wide_decimals WHERE w > 9000000000000000000000000000
