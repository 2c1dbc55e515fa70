-- timestamp_millis.

query
SELECT timestamp_millis(b), timestamp_millis(s), timestamp_millis(i), timestamp_millis(i2), timestamp_millis(0) FROM integers

query error(long overflow|DATETIME_OVERFLOW)
SELECT timestamp_millis(l) FROM integers

query
SELECT timestamp_millis(l) FROM small_integers

query
SELECT timestamp_millis(l) FROM empty
