-- COVERS ApproximatePercentile
-- percentile_approx, and approx_percentile, its other name. Summaries of several tasks, and arrays: tests/spark/test_percentile_phases.py.

query
SELECT percentile_approx(b, 0.5D), percentile_approx(s, 0.3D), percentile_approx(i, 0.0D), percentile_approx(l, 1.0D), approx_percentile(l, 0.5D, 100), approx_percentile(x, 0.5D), approx_percentile(t, 0.5D), approx_percentile(n, 0.25D) FROM everything

query
SELECT g, percentile_approx(i, 0.9D), percentile_approx(i, 0.5D, 100) FILTER (WHERE p), percentile_approx(a, 0.4D), count(*), sum(i) FROM everything GROUP BY g

query
SELECT d2, percentile_approx(d, 0.3D), percentile_approx(f, 0.6D) FROM finite_floats WHERE d <> 0 AND f <> 0 GROUP BY d2

-- Spark's comparisons of NaN are no order.
query replay
SELECT d2, percentile_approx(d, 0.3D), percentile_approx(f, 0.6D) FROM floats GROUP BY d2

query
SELECT percentile_approx(i, 0.9D, 3), percentile_approx(l, 0.2D, 1), percentile_approx(l, 0.8D, 1), percentile_approx(s, 0.7D, 2) FROM small_integers

query
SELECT b, percentile_approx(DISTINCT i2, 0.25D) FROM small_integers GROUP BY b

query fallback(percentile_approx beside DISTINCT is not supported)
SELECT b, percentile_approx(i2, 0.25D, 4), count(DISTINCT i) FROM small_integers GROUP BY b

query
SELECT i, percentile_approx(l2, 0.5D) OVER (PARTITION BY b), percentile_approx(i2, 0.7D, 3) OVER (PARTITION BY b) FROM small_integers

query fallback(over a frame other than the whole partition)
SELECT i, percentile_approx(l2, 0.5D) OVER (PARTITION BY b ORDER BY i2) FROM small_integers

query
SELECT percentile_approx(i, 0.5D), percentile_approx(d, 0.5D, 1) FROM empty

query
SELECT i, percentile_approx(l, 0.5D) FROM empty GROUP BY i

-- The last of 16 or 17 digits of a double is another one in another version of Java.
query replay
SELECT percentile_approx(a, 0.5D), percentile_approx(m, 0.5D), percentile_approx(w, 0.9D) FROM decimals
