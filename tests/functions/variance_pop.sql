-- var_pop.

query tolerance=1e-9
SELECT var_pop(b), var_pop(s), var_pop(i), var_pop(l), var_pop(a), var_pop(w) FROM everything

query tolerance=1e-9
SELECT g, var_pop(b), var_pop(s), var_pop(i), var_pop(a) FROM everything GROUP BY g

query tolerance=1e-9
SELECT var_pop(d), var_pop(f), var_pop(d2) FROM finite_floats

query
SELECT d, var_pop(d2) FROM floats GROUP BY d

query
SELECT var_pop(i) FROM small_integers WHERE i = 7 AND i2 = 5

query
SELECT var_pop(i), var_pop(d) FROM empty
