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
