-- The bits that either integer has.

query
SELECT b | b2, s | s2, i | i2, l | l2, b | l2, s | i2 FROM integers

query
SELECT b | 5Y, s | -2S, i | 255, l | 4294967295L, -1 | i2, 9223372036854775807L | l2, b | CAST(NULL AS TINYINT), CAST(NULL AS BIGINT) | l, 6 | 3 FROM integers

query
SELECT sum(i | i2), max(l | l2) FROM small_integers GROUP BY b | 3Y

query
SELECT i | 1, l | l, i | l FROM empty
