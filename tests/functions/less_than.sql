-- a < b for every type.

query
SELECT b < b2, s < s2, i < i2, l < l2, b < l2, i < 7, -1 < i, 1 < 2, l < NULL FROM integers

query
SELECT f < f2, d < d2, f < d2, d < 1.5D, 0D < d FROM floats

query
SELECT a < a2, a < m2, m < w2, w < w2, a < 1.25, 3 < m FROM decimals

query
SELECT w < w2, z < z2, v < v2, z < v2 FROM wide_decimals

query
SELECT p < q, p < true FROM booleans

query
SELECT s < p, s < 'abc', '' < s, bin < X'61' FROM strings

query
SELECT s, p FROM strings WHERE s < p

query
SELECT d < d2, d < DATE'2000-02-29' FROM dates

query
SELECT a.t < a.n, a.t < TIMESTAMP'2024-03-10 10:30:00.5Z', a.n < TIMESTAMP_NTZ'1970-01-01 00:00:00', a.d < a.n FROM timestamps a

query
SELECT i < i, d < d, s < s FROM empty
