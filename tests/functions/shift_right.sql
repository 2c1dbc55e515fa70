-- Bits moved down under the sign; of the count only the low 5 or 6 bits count.

query
SELECT shiftright(i, i2), shiftright(l, i2), shiftright(i, s2), shiftright(l, b2), shiftright(b, b2), shiftright(s, i2) FROM integers

query
SELECT shiftright(i, 0), shiftright(i, 1), shiftright(i, 31), shiftright(i, 32), shiftright(i, 33), shiftright(i, -1), shiftright(l, 31), shiftright(l, 32), shiftright(l, 63), shiftright(l, 64), shiftright(l, 65), shiftright(l, -2) FROM integers

query since=4.0
SELECT shiftright(-5, i2), shiftright(-5L, i2), shiftright(CAST(NULL AS INT), i2), shiftright(l, CAST(NULL AS INT)), shiftright(-9, 2), i >> 3, shiftright(i, i2 & 7) FROM integers

query
SELECT shiftright(i, 2), shiftright(l, i) FROM empty
