-- timestamp_micros.

query
SELECT timestamp_micros(b), timestamp_micros(s), timestamp_micros(i), timestamp_micros(i2), timestamp_micros(0) FROM integers

query
SELECT timestamp_micros(l) FROM small_integers

query
SELECT timestamp_micros(l) FROM empty
