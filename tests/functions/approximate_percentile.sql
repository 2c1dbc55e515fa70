-- COVERS ApproximatePercentile
-- percentile_approx, and approx_percentile, its other name.

query
SELECT percentile_approx(b, 0.5), percentile_approx(s, 0.3), percentile_approx(i, 0.0), percentile_approx(l, 1.0), approx_percentile(l, 0.5, 100), approx_percentile(x, 0.5), approx_percentile(t, 0.5), approx_percentile(n, 0.25) FROM everything

query
SELECT g, percentile_approx(i, array(0.1, 0.5, 0.9)), percentile_approx(i, 0.5, 100) FILTER (WHERE p), count(*) FROM everything GROUP BY g

query
SELECT d2, percentile_approx(d, 0.3), percentile_approx(f, array(0.9, 0.2, 0.6)) FROM finite_floats WHERE d <> 0 AND f <> 0 GROUP BY d2

query
SELECT percentile_approx(i, array(0.9, 0.1, 0.5, 0.1), 3), percentile_approx(l, array(0.2, 0.4, 0.8), 1), percentile_approx(s, 0.7, 2) FROM small_integers

query
SELECT b, percentile_approx(DISTINCT i2, 0.25, 4) FROM small_integers GROUP BY b

query
SELECT i, percentile_approx(l2, 0.5D) OVER (PARTITION BY b), percentile_approx(i2, 0.25D, 3) OVER (PARTITION BY b) FROM small_integers

query
SELECT percentile_approx(i, 0.5), percentile_approx(i, array(0.5)), percentile_approx(d, 0.5, 1) FROM empty

query
SELECT i, percentile_approx(l, 0.5), percentile_approx(l, array(0.5)) FROM empty GROUP BY i

query fallback(arguments of type)
SELECT percentile_approx(a, 0.5) FROM everything
