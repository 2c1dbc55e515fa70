-- radians of columns and of literals.

query
SELECT radians(d), radians(f), radians(-1D), radians(CAST(NULL AS DOUBLE)) FROM floats

query
SELECT radians(d) FROM empty
