-- The factorials that are longs.

query
SELECT factorial(i), factorial(i2), factorial(20), factorial(21), factorial(-1) FROM integers

query
SELECT factorial(i * i), factorial(CAST(NULL AS INT)), factorial(i2) FROM small_integers

query
SELECT factorial(i) FROM empty
