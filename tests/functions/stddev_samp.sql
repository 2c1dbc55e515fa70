-- stddev_samp.

query tolerance=1e-9
SELECT stddev_samp(b), stddev_samp(s), stddev_samp(i), stddev_samp(l), stddev_samp(a), stddev_samp(w), stddev(i), std(i) FROM everything

query tolerance=1e-9
SELECT g, stddev_samp(b), stddev_samp(s), stddev_samp(i), stddev_samp(a) FROM everything GROUP BY g

query tolerance=1e-9
SELECT stddev_samp(d), stddev_samp(f), stddev_samp(d2) FROM finite_floats

query
SELECT d, stddev_samp(d2) FROM floats GROUP BY d

query
SELECT stddev_samp(i) FROM small_integers WHERE i = 7 AND i2 = 5

query
SELECT stddev_samp(i), stddev_samp(d) FROM empty

-- Spark gives exactly 0 where all values are equal, and no number where the square of their mean is none.
table equal_values
SELECT id % 7 AS k, (id % 7) * 0.1D + 0.1D AS a, 1.5e308D AS b, IF(id % 7 < 3, NULL, 1e200D) AS c, IF(id % 7 = 6, -0.0D, 0.0D) AS z, IF(id % 7 = 1, double('inf'), double('nan')) AS n FROM range(0, 300, 1, 3)

query
SELECT k, stddev_samp(a), stddev_samp(b), stddev_samp(c), stddev_samp(z), stddev_samp(n) FROM equal_values GROUP BY k

query
SELECT stddev_samp(a), stddev_samp(b), stddev_samp(c), stddev_samp(z), stddev_samp(n) FROM equal_values WHERE k = 4

query
SELECT k, stddev_samp(a) OVER (PARTITION BY k), stddev_samp(b) OVER (PARTITION BY k), stddev_samp(c) OVER (PARTITION BY k) FROM equal_values
