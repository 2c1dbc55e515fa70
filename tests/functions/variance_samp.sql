-- var_samp.

query tolerance=1e-9
SELECT var_samp(b), var_samp(s), var_samp(i), var_samp(l), var_samp(a), var_samp(w), variance(i) FROM everything

query tolerance=1e-9
SELECT g, var_samp(b), var_samp(s), var_samp(i), var_samp(a) FROM everything GROUP BY g

query tolerance=1e-9
SELECT var_samp(d), var_samp(f), var_samp(d2) FROM finite_floats

query
SELECT d, var_samp(d2) FROM floats GROUP BY d

query
SELECT var_samp(i) FROM small_integers WHERE i = 7 AND i2 = 5

query
SELECT var_samp(i), var_samp(d) FROM empty
