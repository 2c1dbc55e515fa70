-- Bits moved down under zeros; of the count only the low 5 or 6 bits count.

query
SELECT shiftrightunsigned(i, i2), shiftrightunsigned(l, i2), shiftrightunsigned(i, s2), shiftrightunsigned(l, b2), shiftrightunsigned(b, b2), shiftrightunsigned(s, i2) FROM integers

query
SELECT shiftrightunsigned(i, 0), shiftrightunsigned(i, 1), shiftrightunsigned(i, 31), shiftrightunsigned(i, 32), shiftrightunsigned(i, 33), shiftrightunsigned(i, -1), shiftrightunsigned(l, 31), shiftrightunsigned(l, 32), shiftrightunsigned(l, 63), shiftrightunsigned(l, 64), shiftrightunsigned(l, 65), shiftrightunsigned(l, -2) FROM integers

query since=4.0
SELECT shiftrightunsigned(-5, i2), shiftrightunsigned(-5L, i2), shiftrightunsigned(CAST(NULL AS INT), i2), shiftrightunsigned(l, CAST(NULL AS INT)), shiftrightunsigned(-9, 2), i >>> 3, shiftrightunsigned(i, i2 & 7) FROM integers

query
SELECT shiftrightunsigned(i, 2), shiftrightunsigned(l, i) FROM empty
