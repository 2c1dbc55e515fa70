-- COVERS Percentile PercentileDisc
-- percentile, median, percentile_cont and percentile_disc.

query
SELECT percentile(b, 0.5), percentile(s, 0.3), percentile(i, 0.0), percentile(l, 1.0), percentile(f, 0.25), percentile(a, 0.7), percentile(w, 0.1), median(i), median(d) FROM everything

query
SELECT g, percentile(i, array(0.1, 0.5, 0.9)), median(a), percentile(d, 0.4), percentile(l, 0.5) FILTER (WHERE p), count(*) FROM everything GROUP BY g

query
SELECT d2, percentile(d, 0.3), percentile(f, array(0.2, 0.6)), median(d) FROM finite_floats WHERE d <> 0 GROUP BY d2

query
SELECT percentile_cont(0.3) WITHIN GROUP (ORDER BY i), percentile_cont(0.3) WITHIN GROUP (ORDER BY i DESC), percentile_disc(0.3) WITHIN GROUP (ORDER BY l), percentile_disc(0.3) WITHIN GROUP (ORDER BY l DESC), percentile_disc(0.0) WITHIN GROUP (ORDER BY s), percentile_disc(1.0) WITHIN GROUP (ORDER BY s) FROM small_integers

query
SELECT b, percentile_cont(array(0.25, 0.75)) WITHIN GROUP (ORDER BY i2), percentile_disc(array(0.25, 0.5)) WITHIN GROUP (ORDER BY s2 DESC), percentile_disc(0.5) WITHIN GROUP (ORDER BY i2) FROM small_integers GROUP BY b

query
SELECT median(DISTINCT i), percentile(DISTINCT i, 0.25) FROM small_integers

query
SELECT i, percentile(l2, 0.5D) OVER (PARTITION BY b), percentile(i2, 0.25D) OVER (PARTITION BY b ORDER BY l2) FROM small_integers

query fallback(must be)
SELECT percentile(i, 0.5, s2) FROM small_integers WHERE s2 > 0

query
SELECT percentile(i, 0.5), percentile(i, array(0.5)), median(d), percentile_disc(0.5) WITHIN GROUP (ORDER BY l) FROM empty

query
SELECT i, percentile(l, 0.5), percentile(l, array(0.5)) FROM empty GROUP BY i

query replay
SELECT percentile(d, 0.33), percentile(f, 0.5), percentile_cont(0.33) WITHIN GROUP (ORDER BY d DESC), median(d), percentile_disc(0.3) WITHIN GROUP (ORDER BY d) FROM (SELECT d, float(d) AS f FROM finite_floats WHERE d = 0)
