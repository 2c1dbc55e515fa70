-- sqrt of columns and of literals.

query
SELECT sqrt(d), sqrt(f), sqrt(-1D), sqrt(CAST(NULL AS DOUBLE)), sqrt(d2) FROM floats

query
SELECT sqrt(d), sqrt(d2), sqrt(abs(d * d2)), sqrt(3) FROM finite_floats

query
SELECT sqrt(i), sqrt(l) FROM integers

query
SELECT sqrt(d) FROM empty
