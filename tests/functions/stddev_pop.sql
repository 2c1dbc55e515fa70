-- stddev_pop.

query tolerance=1e-9
SELECT stddev_pop(b), stddev_pop(s), stddev_pop(i), stddev_pop(l), stddev_pop(a), stddev_pop(w) FROM everything

query tolerance=1e-9
SELECT g, stddev_pop(b), stddev_pop(s), stddev_pop(i), stddev_pop(a) FROM everything GROUP BY g

query tolerance=1e-9
SELECT stddev_pop(d), stddev_pop(f), stddev_pop(d2) FROM finite_floats

query
SELECT d, stddev_pop(d2) FROM floats GROUP BY d

query
SELECT stddev_pop(i) FROM small_integers WHERE i = 7 AND i2 = 5

query
SELECT stddev_pop(i), stddev_pop(d) FROM empty

-- Spark gives exactly 0 where all values are equal, and no number where the square of their mean is none.
table equal_values
SELECT id % 7 AS k, (id % 7) * 0.1D + 0.1D AS a, 1.5e308D AS b, IF(id % 7 < 3, NULL, 1e200D) AS c, IF(id % 7 = 6, -0.0D, 0.0D) AS z, IF(id % 7 = 1, double('inf'), double('nan')) AS n FROM range(0, 300, 1, 3)

query
SELECT k, stddev_pop(a), stddev_pop(b), stddev_pop(c), stddev_pop(z), stddev_pop(n) FROM equal_values GROUP BY k

query
SELECT stddev_pop(a), stddev_pop(b), stddev_pop(c), stddev_pop(z), stddev_pop(n) FROM equal_values WHERE k = 4

query
SELECT k, stddev_pop(a) OVER (PARTITION BY k), stddev_pop(b) OVER (PARTITION BY k), stddev_pop(c) OVER (PARTITION BY k) FROM equal_values
