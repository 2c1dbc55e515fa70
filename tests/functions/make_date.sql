-- make_date.

query
SELECT make_date(year(d), month(d), day(d)), make_date(2024, 2, day(d) % 29 + 1), make_date(1582, 10, 4 + month(d)), make_date(-44, 3, 15), make_date(n8, 12, 31) FROM dates

query ansi_error(DATETIME_FIELD_OUT_OF_BOUNDS)
SELECT make_date(year(d), 2, day(d)), make_date(year(d), month(d) + 1, 1) FROM dates

query ansi_error(DATETIME_FIELD_OUT_OF_BOUNDS)
SELECT make_date(i, 0, 1), make_date(l.b, i, 1) FROM integers l WHERE i < 100 AND i > -100

query
SELECT make_date(i, 1, NULL), make_date(NULL, i, 1) FROM integers

query error(ArithmeticException) replay
SELECT make_date(900000000 + i, 1, 1) FROM small_integers

query
SELECT make_date(i, i, i) FROM empty
