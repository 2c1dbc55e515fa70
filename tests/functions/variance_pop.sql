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

-- Spark gives exactly 0 where all values are equal, and no number where the square of their mean is none.
table equal_values
SELECT id % 7 AS k, (id % 7) * 0.1D + 0.1D AS a, 1.5e308D AS b, IF(id % 7 < 3, NULL, 1e200D) AS c, IF(id % 7 = 6, -0.0D, 0.0D) AS z, IF(id % 7 = 1, double('inf'), double('nan')) AS n FROM range(0, 300, 1, 3)

query
SELECT k, var_pop(a), var_pop(b), var_pop(c), var_pop(z), var_pop(n) FROM equal_values GROUP BY k

query
SELECT var_pop(a), var_pop(b), var_pop(c), var_pop(z), var_pop(n) FROM equal_values WHERE k = 4

query
SELECT k, var_pop(a) OVER (PARTITION BY k), var_pop(b) OVER (PARTITION BY k), var_pop(c) OVER (PARTITION BY k) FROM equal_values
