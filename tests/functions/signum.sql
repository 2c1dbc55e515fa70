-- The sign of a number as a double; zeros and NaN are themselves.

query
SELECT sign(d), signum(d2), sign(f), sign(-0.0D), signum(CAST(NULL AS DOUBLE)) FROM floats

query
SELECT sign(i), sign(l) FROM integers

query
SELECT sign(a), sign(w) FROM decimals

query
SELECT sign(d) FROM empty
