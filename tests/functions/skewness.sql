-- COVERS Skewness Kurtosis RegrReplacement
-- skewness, kurtosis, regr_sxx and regr_syy.

query tolerance=1e-9
SELECT skewness(b), kurtosis(s), skewness(i), kurtosis(l), regr_sxx(b, i), regr_syy(i, s2) FROM small_integers

query tolerance=1e-9
SELECT d2, skewness(d), kurtosis(f), skewness(d) FILTER (WHERE d > 0), regr_sxx(d, f), regr_syy(f, d) FROM finite_floats GROUP BY d2

query
SELECT d, skewness(d2), kurtosis(d2), regr_sxx(d, d2), regr_syy(d, d2) FROM floats WHERE d2 IN (double('NaN'), double('Infinity')) GROUP BY d

query
SELECT skewness(i), kurtosis(i), regr_syy(i, i) FROM small_integers WHERE i = 7 AND i2 = 5

query tolerance=1e-9
SELECT i, skewness(l2) OVER (PARTITION BY b), kurtosis(l2) OVER (PARTITION BY b) FROM small_integers

query fallback(skewness over a frame other than the whole partition is not supported)
SELECT skewness(l2) OVER (PARTITION BY b ORDER BY i2) FROM small_integers

-- Spark gives exactly 0 where all values are equal, which have no skewness.
query
SELECT id % 3, skewness((id % 3) * 0.1D + 0.1D), kurtosis((id % 3) * 0.1D + 0.1D), regr_sxx(id, (id % 3) * 0.1D) FROM (SELECT i AS id FROM nested) GROUP BY id % 3

-- The power of a small deviation is 0.
query ansi_error(DIVIDE_BY_ZERO)
SELECT skewness(i * 1e-120D), kurtosis(i * 1e-120D) FROM small_integers

query
SELECT skewness(i), kurtosis(d), regr_sxx(i, d), regr_syy(i, d) FROM empty
