-- COVERS BitAndAgg BitOrAgg BitXorAgg
-- bit_and, bit_or and bit_xor.

query
SELECT bit_and(b), bit_or(b), bit_xor(b), bit_and(s), bit_or(s), bit_xor(s), bit_and(i), bit_or(i), bit_xor(i), bit_and(l), bit_or(l), bit_xor(l) FROM integers

query
SELECT g, bit_and(b), bit_or(s), bit_xor(i), bit_and(l) FILTER (WHERE p), bit_xor(DISTINCT b) FROM everything GROUP BY g

query
SELECT b, bit_and(l2), bit_or(i2), bit_xor(s2), bit_xor(b2) FROM integers GROUP BY b

query
SELECT i, bit_and(i2) OVER (PARTITION BY b ORDER BY l2 ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING), bit_or(l2) OVER (PARTITION BY b ORDER BY i2), bit_xor(b2) OVER (PARTITION BY b) FROM small_integers

query
SELECT bit_and(i), bit_or(l), bit_xor(i) FROM empty
