-- NaN; null is none.

query
SELECT isnan(f), isnan(d), isnan(1D), isnan(NULL) FROM floats

query
SELECT d FROM floats WHERE isnan(d)

query
SELECT isnan(d) FROM empty
