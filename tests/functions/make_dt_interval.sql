-- Intervals of their fields.
-- COVERS MakeDTInterval MakeYMInterval

query
SELECT make_dt_interval(i, i2, i, 1.001001), make_dt_interval(i), make_dt_interval(0, 0, i, CAST(i2 AS DECIMAL(18,6)) / 3), make_dt_interval(i, NULL, 1, 1), make_dt_interval(1, i, 1, NULL) FROM small_integers

query
SELECT make_ym_interval(i, i2), make_ym_interval(i), make_ym_interval(0, i), make_ym_interval(NULL, i), make_ym_interval(178956970, abs(i) % 8) FROM small_integers

query error(INTERVAL_ARITHMETIC_OVERFLOW|ARITHMETIC_OVERFLOW)
SELECT make_dt_interval(106751992 + i * i) FROM small_integers

query error(INTERVAL_ARITHMETIC_OVERFLOW|ARITHMETIC_OVERFLOW)
SELECT make_ym_interval(178956970, 8 + i * i) FROM small_integers

query
SELECT make_dt_interval(i), make_ym_interval(i) FROM empty
