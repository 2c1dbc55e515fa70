-- COVERS Corr CovPopulation CovSample RegrSXY RegrR2 RegrSlope RegrIntercept
-- Statistics of pairs: corr, covar_pop, covar_samp and the regr functions.

query tolerance=1e-9
SELECT corr(i, s2), covar_pop(i, s2), covar_samp(i, s2), regr_sxy(i, s2), regr_r2(i, s2), regr_slope(i, s2), regr_intercept(i, s2) FROM (SELECT i, s2 + b AS s2 FROM small_integers)

query tolerance=1e-9
SELECT d2, covar_pop(d, f), corr(d, f), regr_slope(d, f), regr_r2(d, f), covar_samp(d, f) FILTER (WHERE d > 0), regr_sxy(d, f) FROM finite_floats GROUP BY d2

query tolerance=1e-9
SELECT regr_count(i, s2), regr_avgx(i, s2), regr_avgy(i, s2), regr_sxx(i, s2), regr_syy(i, s2) FROM small_integers

query
SELECT d, covar_pop(d, d2), corr(d, d2), regr_slope(d, d2), regr_intercept(d, d2), covar_samp(d, d2) FROM floats WHERE d2 IN (double('NaN'), double('Infinity')) GROUP BY d

-- One pair, and pairs of which one side has one value.
query
SELECT corr(i, s2), covar_pop(i, s2), covar_samp(i, s2), regr_r2(i, s2), regr_slope(i, s2), regr_intercept(i, s2), regr_sxy(i, s2) FROM small_integers WHERE i = 7 AND i2 = 5

query
SELECT regr_r2(i, s2), regr_slope(s2, i), regr_intercept(s2, i), covar_samp(i, s2) FROM small_integers WHERE i = 7

query ansi_error(DIVIDE_BY_ZERO)
SELECT corr(i, s2) FROM small_integers WHERE i = 7

query tolerance=1e-9
SELECT i, regr_intercept(l2, i2 + s) OVER (PARTITION BY b), corr(l2, i2 * i2) OVER (PARTITION BY b), covar_samp(l2, i2) OVER (PARTITION BY b) FROM small_integers

query fallback(corr over a frame other than the whole partition is not supported)
SELECT corr(l2, i2) OVER (PARTITION BY b ORDER BY i2) FROM small_integers

query
SELECT corr(i, d), covar_pop(i, d), covar_samp(i, d), regr_r2(i, d), regr_slope(i, d), regr_intercept(i, d), regr_sxy(i, d), regr_count(i, d), regr_avgx(i, d), regr_avgy(i, d) FROM empty
