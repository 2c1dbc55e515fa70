-- timestamp_seconds.

query
SELECT timestamp_seconds(b), timestamp_seconds(s), timestamp_seconds(i), timestamp_seconds(i2), timestamp_seconds(0) FROM integers

query error(long overflow|DATETIME_OVERFLOW)
SELECT timestamp_seconds(l) FROM integers

query
SELECT timestamp_seconds(l) FROM small_integers

query
SELECT timestamp_seconds(l) FROM empty

query
SELECT timestamp_seconds(d), timestamp_seconds(f), timestamp_seconds(1.5D), timestamp_seconds(d2) FROM floats

query
SELECT timestamp_seconds(m), timestamp_seconds(a2), timestamp_seconds(CAST(a AS DECIMAL(20, 8))), timestamp_seconds(-0.000001BD) FROM decimals

query error(ArithmeticException|Rounding necessary)
SELECT timestamp_seconds(CAST(0.0000001 AS DECIMAL(10, 7)) * n) FROM dates

query error(ArithmeticException|Overflow)
SELECT timestamp_seconds(z) FROM wide_decimals
