-- timestamp_seconds.

query
SELECT timestamp_seconds(b), timestamp_seconds(s), timestamp_seconds(i), timestamp_seconds(i2), timestamp_seconds(0) FROM integers

query error(long overflow|DATETIME_OVERFLOW)
SELECT timestamp_seconds(l) FROM integers

query
SELECT timestamp_seconds(l) FROM small_integers

query
SELECT timestamp_seconds(l) FROM empty
