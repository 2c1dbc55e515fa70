-- Bits moved up; of the count only the low 5 or 6 bits count.

query
SELECT shiftleft(i, i2), shiftleft(l, i2), shiftleft(i, s2), shiftleft(l, b2), shiftleft(b, b2), shiftleft(s, i2) FROM integers

query
SELECT shiftleft(i, 0), shiftleft(i, 1), shiftleft(i, 31), shiftleft(i, 32), shiftleft(i, 33), shiftleft(i, -1), shiftleft(l, 31), shiftleft(l, 32), shiftleft(l, 63), shiftleft(l, 64), shiftleft(l, 65), shiftleft(l, -2) FROM integers

query since=4.0
SELECT shiftleft(-5, i2), shiftleft(-5L, i2), shiftleft(CAST(NULL AS INT), i2), shiftleft(l, CAST(NULL AS INT)), shiftleft(-9, 2), i << 3, shiftleft(i, i2 & 7) FROM integers

query
SELECT shiftleft(i, 2), shiftleft(l, i) FROM empty
