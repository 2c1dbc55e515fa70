-- Window: every function over every kind of frame, with order values of every type.
-- COVERS RowNumber Rank DenseRank PercentRank CumeDist NTile Lag Lead NthValue
-- CONFIG spark.sql.session.timeZone=America/Los_Angeles|UTC
-- CONFIG spark.sql.optimizer.excludedRules=org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation

table sales row_group(16)
SELECT i, i % 7 AS k, IF(i % 5 = 0, NULL, i % 4) AS o, IF(i % 3 = 0, NULL, i * 3 % 17) AS v, CAST(i % 11 AS DOUBLE) / 4 AS d, IF(i % 6 = 0, NULL, CAST(i % 9 AS STRING)) AS s,
  IF(i % 8 = 0, NULL, CAST(i % 13 AS DECIMAL(9,2)) / 4) AS m, CAST(i % 5 AS DECIMAL(38,2)) * 12345678901234567890.12 AS w, IF(i % 4 = 0, NULL, i % 3 = 0) AS p,
  date_add(DATE'2024-01-25', i * 5 % 90) AS x, CAST(i * 7919 % 1000 AS TINYINT) AS b
FROM (SELECT explode(sequence(1, 100)) AS i)

table keys
SELECT * FROM VALUES (1, 1, 1.5D, float(1.5), 1.25BD, 'a', true, X'01', DATE'2024-02-29', TIMESTAMP'2024-03-10 01:30:00', TIMESTAMP_NTZ'2024-03-10 01:30:00'),
  (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, 3, double('NaN'), float('NaN'), -2.50BD, 'B', false, X'FF', DATE'2024-03-31', TIMESTAMP'2024-03-10 03:30:00', TIMESTAMP_NTZ'2024-03-11 02:30:00'),
  (5, -3, double('NaN'), float('NaN'), 0.00BD, '', true, X'', DATE'2023-12-31', TIMESTAMP'2024-11-03 00:30:00', TIMESTAMP_NTZ'2024-11-03 00:30:00'),
  (6, 2147483000, double('Infinity'), float('Infinity'), 99999.99BD, 'ä', false, X'00', DATE'1969-07-20', TIMESTAMP'2024-11-03 01:30:00', TIMESTAMP_NTZ'2024-11-03 01:30:00'),
  (7, 3, -0.0D, float(-0.0), 1.25BD, 'a', true, X'01', DATE'2024-02-29', TIMESTAMP'2024-11-04 01:30:00', TIMESTAMP_NTZ'2024-11-04 01:30:00'),
  (8, 4, 0.0D, float(0.0), 2.25BD, 'ab', false, X'0101', DATE'2024-03-01', TIMESTAMP'2024-02-29 12:00:00', TIMESTAMP_NTZ'2024-02-29 12:00:00'),
  (9, 5, double('-Infinity'), float('-Infinity'), -99999.99BD, '😀', true, X'0102', DATE'2024-01-31', TIMESTAMP'2023-12-31 23:59:59.999999', TIMESTAMP_NTZ'2023-12-31 23:59:59.999999'),
  (10, 1, 2.5D, float(2.5), 2.26BD, 'b', false, X'02', DATE'2024-01-30', TIMESTAMP'2024-03-09 02:30:00', TIMESTAMP_NTZ'2024-03-09 02:30:00')
  AS t(i, n, d, f, m, s, p, bin, x, t, u)

table large
SELECT * FROM VALUES (1, 1, 9223372036854775807L, CAST('99999999999999999999999999999999999999' AS DECIMAL(38,0)), 100Y), (1, 2, -1L, CAST('-1' AS DECIMAL(38,0)), 27Y),
  (1, 3, -9223372036854775807L, CAST('-99999999999999999999999999999999999999' AS DECIMAL(38,0)), -128Y), (1, 4, 5L, CAST('7' AS DECIMAL(38,0)), NULL) AS t(k, i, l, z, b)

query
SELECT k, i, row_number() OVER (PARTITION BY k ORDER BY i) AS a, row_number() OVER (PARTITION BY k ORDER BY i DESC) AS b, row_number() OVER (ORDER BY i) AS c FROM sales

query
SELECT k, o, rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w FROM sales WINDOW w AS (PARTITION BY k ORDER BY o)

query nightly
SELECT k, o, rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w FROM sales WINDOW w AS (PARTITION BY k ORDER BY o DESC NULLS FIRST, s NULLS LAST)

query
SELECT o, rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w FROM sales WINDOW w AS (ORDER BY o)

query
SELECT k, i, ntile(3) OVER w, ntile(1) OVER w, ntile(14) OVER w, ntile(100) OVER w, percent_rank() OVER (PARTITION BY i ORDER BY k) FROM sales WINDOW w AS (PARTITION BY k ORDER BY i)

query nightly
SELECT k, i, lag(v) OVER w, lead(v) OVER w, lag(v, 3) OVER w, lead(v, 2, -1) OVER w, lag(v, 2, i) OVER w, lag(v, -2) OVER w, lead(v, 0) OVER w, lag(v, 50) OVER w FROM sales WINDOW w AS (PARTITION BY k ORDER BY i)

query
SELECT k, i, lag(v) IGNORE NULLS OVER w, lead(v) IGNORE NULLS OVER w, lag(v, 3) IGNORE NULLS OVER w, lead(v, 2, -1) IGNORE NULLS OVER w, lag(s, 2, 'none') IGNORE NULLS OVER w, lag(s, -1) IGNORE NULLS OVER w, lead(v, 50, 7) IGNORE NULLS OVER w, lag(v, 0) IGNORE NULLS OVER w
FROM sales WINDOW w AS (PARTITION BY k ORDER BY i)

query
SELECT i, lag(s) OVER w, lead(m, 1, 0.5) OVER w, lag(x) OVER w, lead(p, 2, true) OVER w, lag(w, 1) OVER w, lead(d) OVER w FROM sales WINDOW w AS (PARTITION BY k ORDER BY i)

query nightly
SELECT i, lag(t) OVER w, lead(u) OVER w, lag(bin, 2) OVER w, lead(f) OVER w FROM keys WINDOW w AS (ORDER BY i)

query
SELECT k, i, first_value(v) OVER w, last_value(v) OVER w, nth_value(v, 2) OVER w, any_value(s) OVER w, first(s, true) OVER w, last(v, true) OVER w, nth_value(v, 2) IGNORE NULLS OVER w, nth_value(s, 4) IGNORE NULLS OVER w
FROM sales WINDOW w AS (PARTITION BY k ORDER BY i)

query nightly
SELECT k, i, first_value(v) OVER w, last_value(v) OVER w, nth_value(v, 2) OVER w, first(s, true) OVER w, last(v, true) OVER w, nth_value(v, 3) IGNORE NULLS OVER w
FROM sales WINDOW w AS (PARTITION BY k ORDER BY i ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING)

query nightly
SELECT k, i, first_value(v) OVER w, last_value(v) OVER w, nth_value(v, 2) OVER w, first(s, true) OVER w, last(v, true) OVER w, nth_value(v, 3) IGNORE NULLS OVER w
FROM sales WINDOW w AS (PARTITION BY k ORDER BY i ROWS BETWEEN 2 FOLLOWING AND 4 FOLLOWING)

query nightly
SELECT k, i, first_value(v) OVER w, last_value(v) OVER w, nth_value(v, 2) OVER w, first(s, true) OVER w, last(v, true) OVER w, nth_value(v, 3) IGNORE NULLS OVER w
FROM sales WINDOW w AS (PARTITION BY k ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)

query
SELECT k, sum(v) OVER w, count(*) OVER w, count(v) OVER w, avg(v) OVER w, min(v) OVER w, max(v) OVER w, min(s) OVER w, max(s) OVER w, sum(m) OVER w, avg(m) OVER w, sum(w) OVER w, avg(w) OVER w, min(w) OVER w, bool_and(p) OVER w, bool_or(p) OVER w, sum(d) OVER w, avg(d) OVER w, max(x) OVER w
FROM sales WINDOW w AS (PARTITION BY k)

query nightly
SELECT k, i, sum(v) OVER w, count(*) OVER w, count(v) OVER w, avg(v) OVER w, min(v) OVER w, max(v) OVER w, min(s) OVER w, max(s) OVER w, sum(m) OVER w, avg(m) OVER w, sum(w) OVER w, avg(w) OVER w, max(w) OVER w, bool_and(p) OVER w, bool_or(p) OVER w, sum(d) OVER w, avg(d) OVER w, max(x) OVER w, sum(b) OVER w
FROM sales WINDOW w AS (PARTITION BY k ORDER BY i)

query nightly
SELECT k, i, sum(v) OVER w, count(*) OVER w, count(v) OVER w, avg(v) OVER w, min(v) OVER w, max(v) OVER w, min(s) OVER w, max(s) OVER w, sum(m) OVER w, avg(m) OVER w, sum(w) OVER w, avg(w) OVER w, max(w) OVER w, bool_and(p) OVER w, bool_or(p) OVER w, sum(d) OVER w, avg(d) OVER w, min(x) OVER w, sum(b) OVER w
FROM sales WINDOW w AS (PARTITION BY k ORDER BY i ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING)

query nightly
SELECT k, i, sum(v) OVER w, count(*) OVER w, count(v) OVER w, avg(v) OVER w, min(v) OVER w, max(v) OVER w, min(s) OVER w, max(s) OVER w, sum(m) OVER w, avg(m) OVER w, sum(w) OVER w, avg(w) OVER w, max(w) OVER w, bool_and(p) OVER w, bool_or(p) OVER w, sum(d) OVER w, avg(d) OVER w, min(x) OVER w
FROM sales WINDOW w AS (PARTITION BY k ORDER BY i ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)

query
SELECT k, o, sum(v) OVER w, count(*) OVER w, count(v) OVER w, avg(v) OVER w, min(v) OVER w, max(v) OVER w, min(s) OVER w, max(s) OVER w, sum(m) OVER w, sum(w) OVER w, bool_and(p) OVER w, sum(d) OVER w
FROM sales WINDOW w AS (PARTITION BY k ORDER BY o)

query
SELECT k, o, sum(v) OVER w, count(*) OVER w, min(v) OVER w, max(s) OVER w, sum(m) OVER w
FROM sales WINDOW w AS (PARTITION BY k ORDER BY o DESC, s RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)

query nightly
SELECT k, o, sum(v) OVER w, count(*) OVER w, min(v) OVER w, max(s) OVER w FROM sales WINDOW w AS (PARTITION BY k ORDER BY o RANGE BETWEEN CURRENT ROW AND CURRENT ROW)

query nightly
SELECT k, i, sum(v) OVER w, count(*) OVER w, min(v) OVER w, max(s) OVER w FROM sales WINDOW w AS (PARTITION BY k ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND 3 PRECEDING)

query nightly
SELECT k, i, sum(v) OVER w, count(*) OVER w, min(v) OVER w, max(s) OVER w FROM sales WINDOW w AS (PARTITION BY k ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND 2 FOLLOWING)

query nightly
SELECT k, i, sum(v) OVER w, count(*) OVER w, min(v) OVER w, max(s) OVER w FROM sales WINDOW w AS (PARTITION BY k ORDER BY i ROWS BETWEEN 3 FOLLOWING AND UNBOUNDED FOLLOWING)

query nightly
SELECT k, i, sum(v) OVER w, count(*) OVER w, min(v) OVER w, max(s) OVER w FROM sales WINDOW w AS (PARTITION BY k ORDER BY i ROWS BETWEEN 5 PRECEDING AND 3 PRECEDING)

query
SELECT i, sum(v) OVER w, count(*) OVER w, min(v) OVER w, max(s) OVER w, max(w) OVER w, bool_or(p) OVER w FROM sales WINDOW w AS (ORDER BY i ROWS BETWEEN 40 PRECEDING AND 20 FOLLOWING)

query
SELECT i, sum(d) OVER w, avg(d) OVER w, avg(v) OVER w FROM sales WINDOW w AS (ORDER BY i ROWS BETWEEN 40 PRECEDING AND 20 FOLLOWING)

query nightly tolerance=1e-10
SELECT k, i, stddev(d) OVER w, variance(v) OVER w, stddev_pop(d) OVER w, var_pop(v) OVER w FROM sales WINDOW w AS (PARTITION BY k ORDER BY i)

query nightly tolerance=1e-10
SELECT k, i, stddev(d) OVER w, variance(v) OVER w, stddev_pop(d) OVER w, var_pop(v) OVER w FROM sales WINDOW w AS (PARTITION BY k ORDER BY i ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)

query tolerance=1e-10
SELECT k, i, stddev(d) OVER w, variance(v) OVER w, stddev_pop(d) OVER w, var_pop(v) OVER w FROM sales WINDOW w AS (PARTITION BY k)

query
SELECT k, i, o, sum(v) OVER (PARTITION BY k ORDER BY i RANGE BETWEEN 7 PRECEDING AND CURRENT ROW), count(*) OVER (PARTITION BY k ORDER BY o RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING),
  sum(v) OVER (PARTITION BY k ORDER BY o DESC RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING), count(*) OVER (ORDER BY o DESC NULLS FIRST RANGE BETWEEN 2 FOLLOWING AND UNBOUNDED FOLLOWING),
  min(i) OVER (ORDER BY o NULLS LAST RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), count(v) OVER (ORDER BY o RANGE BETWEEN 2 PRECEDING AND 1 PRECEDING) FROM sales

query nightly
SELECT i, d, count(*) OVER w, first_value(d) OVER w, last_value(d) OVER w FROM keys WINDOW w AS (ORDER BY d RANGE BETWEEN 1 PRECEDING AND 1.5 FOLLOWING)

query nightly
SELECT i, f, count(*) OVER w, first_value(f) OVER w, last_value(f) OVER w FROM keys WINDOW w AS (ORDER BY f DESC NULLS FIRST RANGE BETWEEN 1 PRECEDING AND 1.5 FOLLOWING)

query
SELECT i, m, count(*) OVER w, min(i) OVER w FROM keys WINDOW w AS (ORDER BY m RANGE BETWEEN 1.00 PRECEDING AND 1.25 FOLLOWING)

query
SELECT i, w, count(*) OVER o, min(i) OVER o FROM sales WINDOW o AS (ORDER BY w DESC RANGE BETWEEN 12345678901234567890.12 PRECEDING AND CURRENT ROW)

query nightly
SELECT i, x, count(*) OVER (ORDER BY x RANGE BETWEEN 2 PRECEDING AND 30 FOLLOWING), count(*) OVER (ORDER BY x RANGE BETWEEN INTERVAL '1' MONTH PRECEDING AND CURRENT ROW),
  count(*) OVER (ORDER BY x DESC RANGE BETWEEN INTERVAL '1' MONTH PRECEDING AND INTERVAL '12' MONTH FOLLOWING) FROM keys

query
SELECT i, t, count(*) OVER (ORDER BY t RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW), count(*) OVER (ORDER BY t RANGE BETWEEN CURRENT ROW AND INTERVAL '24' HOUR FOLLOWING),
  count(*) OVER (ORDER BY t RANGE BETWEEN INTERVAL '1' MONTH PRECEDING AND INTERVAL '8' MONTH FOLLOWING), count(*) OVER (ORDER BY t DESC RANGE BETWEEN INTERVAL '1 01:00:00' DAY TO SECOND PRECEDING AND INTERVAL '1 00:00:00' DAY TO SECOND FOLLOWING) FROM keys

query nightly
SELECT i, u, count(*) OVER (ORDER BY u RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW), count(*) OVER (ORDER BY u RANGE BETWEEN CURRENT ROW AND INTERVAL '24' HOUR FOLLOWING),
  count(*) OVER (ORDER BY u RANGE BETWEEN INTERVAL '1' MONTH PRECEDING AND INTERVAL '8' MONTH FOLLOWING), count(*) OVER (ORDER BY u DESC RANGE BETWEEN INTERVAL '1 01:00:00' DAY TO SECOND PRECEDING AND INTERVAL '1 00:00:00' DAY TO SECOND FOLLOWING) FROM keys

query
SELECT d, rank() OVER w, count(*) OVER w, sum(i) OVER w, cume_dist() OVER w FROM keys WINDOW w AS (ORDER BY d DESC)

query nightly
SELECT d, rank() OVER w, dense_rank() OVER w, count(*) OVER (PARTITION BY d), sum(i) OVER (PARTITION BY f) FROM keys WINDOW w AS (PARTITION BY d ORDER BY f)

query nightly
SELECT s, rank() OVER (ORDER BY s), rank() OVER (ORDER BY bin), rank() OVER (ORDER BY p, m), rank() OVER (ORDER BY x), rank() OVER (ORDER BY t), rank() OVER (ORDER BY u), rank() OVER (ORDER BY f NULLS LAST), rank() OVER (ORDER BY n) FROM keys

query nightly
SELECT s, count(*) OVER (PARTITION BY s), count(*) OVER (PARTITION BY p, m), count(*) OVER (PARTITION BY bin), count(*) OVER (PARTITION BY x, t), count(*) OVER (PARTITION BY u), count(*) OVER (PARTITION BY n + 1L) FROM keys

query
SELECT i, sum(d) OVER w, avg(f) OVER w FROM keys WINDOW w AS (ORDER BY i)

query nightly
SELECT i, sum(d) OVER w, avg(f) OVER w FROM keys WINDOW w AS (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)

query
SELECT i, max(d) OVER w, min(d) OVER w, max(f) OVER w, min(f) OVER w FROM keys WHERE d IS NULL OR d <> 0 WINDOW w AS (ORDER BY i ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)

query nightly
SELECT max(bin) OVER w, min(t) OVER w, max(u) OVER w, min(x) OVER w, max(m) OVER w, max(n) OVER w FROM keys WINDOW w AS (ORDER BY i)

query nightly
SELECT max(bin) OVER w, min(t) OVER w, max(u) OVER w, min(s) OVER w FROM keys WINDOW w AS (ORDER BY i DESC ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)

query
SELECT * FROM (SELECT k, i, v, row_number() OVER (PARTITION BY k ORDER BY v DESC NULLS LAST, i) AS r FROM sales) WHERE r <= 2

query
SELECT k, i, sum(sum(v)) OVER (PARTITION BY k ORDER BY i) FROM sales GROUP BY k, i

query nightly
SELECT k, avg(v) OVER (PARTITION BY k) - v, i * 100.0 / sum(i) OVER (), max(i) OVER (PARTITION BY s ORDER BY i) + rank() OVER (PARTITION BY k ORDER BY d) FROM sales

query
SELECT i, sum(l) OVER (PARTITION BY k ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), sum(z) OVER (PARTITION BY k ORDER BY i) FROM large WHERE i > 2

query replay ansi_error(ARITHMETIC_OVERFLOW)
SELECT i, sum(l) OVER (PARTITION BY k ORDER BY i) FROM (SELECT k, i, IF(i = 2, 5L, l) AS l FROM large)

query replay ansi_error(ARITHMETIC_OVERFLOW|NUMERIC_VALUE_OUT_OF_RANGE|NUMERIC_VALUE_OUT_OF_RANGE.WITHOUT_SUGGESTION)
SELECT i, sum(z) OVER (PARTITION BY k ORDER BY i) FROM (SELECT k, i, IF(i = 2, CAST(5 AS DECIMAL(38,0)), z) AS z FROM large)

query replay ansi_error(ARITHMETIC_OVERFLOW|BINARY_ARITHMETIC_OVERFLOW)
SELECT b, count(*) OVER (ORDER BY b RANGE BETWEEN 1 PRECEDING AND 100Y FOLLOWING) FROM large

table short_decimals row_group(16)
SELECT i, i % 7 AS k, IF(i % 5 = 0, NULL, i % 4) AS o, CAST(IF(i % 4 = 0, NULL, (i * 7919 % 1999 - 999) / 100) AS DECIMAL(9,2)) AS dn, CAST(IF(i % 7 = 3, NULL, i * 31 % 200) AS DECIMAL(7,2)) AS e,
  CAST(i * 104729 % 199999 - 99999 AS DECIMAL(8,2)) / 1 AS wider, CAST((i * 104729 % 199999 - 99999) / 7 AS DECIMAL(8,2)) AS n, CAST(IF(i % 2 = 0, 99999999, -99999999) AS DECIMAL(8,0)) AS z
FROM (SELECT explode(sequence(1, 100)) AS i)

query
SELECT k, sum(n) OVER w, avg(dn) OVER w, avg(e) OVER w, sum(e) OVER w, sum(z) OVER w, avg(z) OVER w, count(dn) OVER w FROM short_decimals WINDOW w AS (PARTITION BY k)

query nightly
SELECT sum(n) OVER (), avg(dn) OVER (), avg(e) OVER (), i FROM short_decimals

query nightly
SELECT k, i, sum(n) OVER w, avg(dn) OVER w, avg(e) OVER w, sum(e) OVER w, avg(z) OVER w, rank() OVER w FROM short_decimals WINDOW w AS (PARTITION BY k ORDER BY i)

query nightly
SELECT k, i, sum(n) OVER w, avg(dn) OVER w, avg(e) OVER w, sum(e) OVER w, sum(z) OVER w FROM short_decimals WINDOW w AS (PARTITION BY k ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)

query nightly
SELECT k, i, sum(n) OVER w, avg(dn) OVER w, avg(e) OVER w, sum(e) OVER w, min(n) OVER w FROM short_decimals WINDOW w AS (PARTITION BY k ORDER BY i ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)

query nightly
SELECT k, i, sum(n) OVER w, avg(dn) OVER w, avg(e) OVER w, sum(e) OVER w, sum(wider) OVER w FROM short_decimals WINDOW w AS (PARTITION BY k ORDER BY i DESC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)

query nightly
SELECT k, o, sum(n) OVER w, avg(dn) OVER w, avg(e) OVER w, sum(e) OVER w FROM short_decimals WINDOW w AS (PARTITION BY k ORDER BY o RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)

query nightly
SELECT k, o, sum(n) OVER w, avg(dn) OVER w, avg(e) OVER w, sum(e) OVER w FROM short_decimals WINDOW w AS (PARTITION BY k ORDER BY o RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)

query
SELECT k, i, sum(n) OVER (PARTITION BY k ORDER BY i) + avg(n) OVER (PARTITION BY k), avg(dn) OVER (ORDER BY i ROWS BETWEEN 30 PRECEDING AND 5 PRECEDING), dn - avg(dn) OVER (PARTITION BY o ORDER BY i RANGE BETWEEN 9 PRECEDING AND 9 FOLLOWING) FROM short_decimals

query
SELECT a.k, a.i, avg(a.dn) OVER (PARTITION BY a.k ORDER BY a.i), sum(b.n) OVER (PARTITION BY a.k ORDER BY a.i ROWS 3 PRECEDING) FROM short_decimals a JOIN short_decimals b ON a.k = b.k AND a.i = b.i

-- zeros of both signs, and numbers whose squares are beyond all numbers
table zeros
SELECT * FROM VALUES (1, 1, -0.0D, 1.5e308D, 1e200D, 1.0D), (2, 1, -0.0D, 1.5e308D, 1e200D, 1e200D), (3, 1, 0.0D, 1.5e308D, 1e200D, 1.0D), (4, 2, NULL, 1.5e308D, NULL, 1e200D), (5, 2, -0.0D, 1.5e308D, 1e200D, 1.0D) AS z(i, k, d, a, b, e)

query nightly
SELECT i, sum(d) OVER (ORDER BY i), avg(d) OVER (ORDER BY i), sum(d) OVER (PARTITION BY k ORDER BY i), avg(d) OVER (PARTITION BY i), sum(CAST(d AS FLOAT)) OVER (PARTITION BY i) FROM zeros

query nightly
SELECT i, sum(d) OVER w, avg(d) OVER w FROM zeros WINDOW w AS (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)

query nightly
SELECT i, sum(d) OVER w, avg(d) OVER w FROM zeros WINDOW w AS (ORDER BY i ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)

query
SELECT i, stddev_pop(a) OVER w, var_pop(b) OVER w, stddev_pop(e) OVER w FROM zeros WINDOW w AS (ORDER BY i)

query nightly
SELECT i, stddev_pop(a) OVER w, var_pop(b) OVER w, stddev_pop(e) OVER w FROM zeros WINDOW w AS (ORDER BY i ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)

query
SELECT i, stddev(a) OVER w, variance(b) OVER w, stddev(d) OVER w FROM zeros WINDOW w AS (PARTITION BY k)
