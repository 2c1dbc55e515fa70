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
