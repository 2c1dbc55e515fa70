-- Aggregation: keys of every type, phases, filters, empty input.

table many row_group(64)
SELECT i, i % 97 AS k, IF(i % 11 = 0, NULL, CAST(i % 13 AS STRING)) AS s, IF(i % 7 = 0, NULL, i * 3) AS v, CAST(i % 5 AS DECIMAL(38,2)) * 12345678901234567890.12 AS w,
  IF(i % 9 = 0, NULL, i % 2 = 0) AS p, CAST(i % 4 AS DOUBLE) / 4 AS d
FROM (SELECT explode(sequence(1, 400)) AS i)

table many append
SELECT i, i AS k, CAST(NULL AS STRING) AS s, i AS v, CAST(NULL AS DECIMAL(38,4)) AS w, true AS p, 0.25D AS d FROM (SELECT explode(sequence(401, 450)) AS i)

table float_keys row_group(4)
SELECT * FROM VALUES (0.0D, float(0.0), 1), (-0.0D, float(-0.0), 2), (double('NaN'), float('NaN'), 3), (double('NaN'), float('NaN'), 4), (NULL, NULL, 5), (1.5D, float(1.5), 6),
  (double('Infinity'), float('Infinity'), 7), (double('-Infinity'), float('-Infinity'), 8), (NULL, NULL, 9), (-0.0D, float(0.0), 10), (1.5D, float(-1.5), 11) AS t(d, f, i)

table large
SELECT CAST(x AS DECIMAL(38,0)) AS z, CAST(i AS BIGINT) * 4611686018427387904 AS l, i FROM VALUES ('99999999999999999999999999999999999999', 1), ('99999999999999999999999999999999999998', 1), ('1', -1) AS t(x, i)

query
SELECT count(*), count(v), sum(v), min(v), max(v), avg(v), min(s), max(s), sum(w), avg(w), min(p), max(p), bool_and(p), bool_or(p) FROM many

query
SELECT k, count(*), count(v), sum(v), min(v), max(v), avg(v), min(s), max(s), sum(w), avg(w) FROM many GROUP BY k

query nightly
SELECT s, count(*), sum(v), min(k), max(w) FROM many GROUP BY s

query
SELECT p, count(*), sum(d), avg(d) FROM many GROUP BY p

query nightly
SELECT w, count(*), sum(w) FROM many GROUP BY w

query
SELECT d, p, s, count(*), max(i) FROM many GROUP BY d, p, s

query nightly
SELECT i, sum(v), count(*) FROM many GROUP BY i

query
SELECT k, stddev(d), variance(v), stddev_pop(d), var_pop(v) FROM many GROUP BY k

query nightly
SELECT d, count(*), sum(i), max(i) FROM float_keys GROUP BY d

query nightly
SELECT f, count(*), sum(i), max(i) FROM float_keys GROUP BY f

query
SELECT d, f, count(*), sum(i) FROM float_keys GROUP BY d, f

query nightly
SELECT d + 1, count(*) FROM float_keys GROUP BY d + 1

query
SELECT count(DISTINCT d), count(DISTINCT f), count(DISTINCT d, f) FROM float_keys

query nightly
SELECT min(d), max(d), min(f), max(f) FROM float_keys WHERE d IS NULL OR d <> 0

query nightly
SELECT b, count(*) FROM everything GROUP BY b

query nightly
SELECT s, l, count(*) FROM everything GROUP BY s, l

query nightly
SELECT p, st, count(*) FROM everything GROUP BY p, st

query
SELECT bin, count(*), max(bin) FROM everything GROUP BY bin

query
SELECT x, t, n, count(*), min(x), max(t) FROM everything GROUP BY x, t, n

query nightly
SELECT a, w, count(*) FROM everything GROUP BY a, w

query
SELECT g, b, s, i, l, f, d, a, w, p, st, bin, x, t, n, count(*) FROM everything GROUP BY g, b, s, i, l, f, d, a, w, p, st, bin, x, t, n

query
SELECT DISTINCT k FROM many

query nightly
SELECT DISTINCT p, s FROM many

query fallback(column k of type void)
SELECT NULL AS k, 1 AS one, count(*) FROM many GROUP BY 1, 2

query nightly
SELECT i % 3, upper(s), count(*), sum(v + 1) FROM many GROUP BY i % 3, upper(s)

query nightly
SELECT (k + 1) * 2, count(*) + sum(v) / 2, max(v) - min(v) FROM many GROUP BY k

query
SELECT CASE WHEN v > 300 THEN 'high' WHEN v > 100 THEN 'middle' END AS level, count(*), sum(v) FROM many GROUP BY level

query
SELECT sum(CASE WHEN p THEN v ELSE 0 END), sum(CASE WHEN k <> 0 THEN 100 div k END), count(CASE WHEN p THEN 1 END), sum(IF(s = '3', v, -v)), avg(CASE WHEN s = '1' THEN w END) FROM many

-- Counts of nulls, for which the engine does not look at each row.
query
SELECT sum(CASE WHEN v IS NULL THEN 1 ELSE 0 END), sum(IF(s IS NULL, 1, 0)), sum(CASE WHEN p IS NULL THEN 2 ELSE 0 END), sum(IF(i IS NULL, 1, 0)) FILTER (WHERE p), try_sum(IF(i IS NULL, 1, 0)), sum(IF(v IS NULL, 1L, 0L)) FROM many

query
SELECT sum(CASE WHEN v IS NULL THEN 1 ELSE 0 END), sum(IF(s IS NULL, 1, 0)), count(*) FROM many WHERE k < 0

query
SELECT k % 5, sum(CASE WHEN v IS NULL THEN 1 ELSE 0 END), sum(IF(s IS NULL, 1, 0)) FROM many GROUP BY k % 5

query nightly
SELECT k % 5, sum(CASE WHEN p THEN v ELSE 0 END), count(IF(p, i, NULL)) FROM many GROUP BY k % 5

query nightly
SELECT count(*) FILTER (WHERE p), sum(v) FILTER (WHERE v > 100), min(s) FILTER (WHERE k = 1), avg(d) FILTER (WHERE i > 1000), count(v) FILTER (WHERE CAST(NULL AS BOOLEAN)) FROM many

query
SELECT k % 3, count(*) FILTER (WHERE p), sum(v) FILTER (WHERE v > 100), max(w) FILTER (WHERE s IS NULL), count(DISTINCT s) FILTER (WHERE p) FROM many GROUP BY k % 3

query
SELECT k, sum(v) AS total FROM many GROUP BY k HAVING sum(v) > 1000 AND count(*) > 2

query nightly
SELECT s FROM many GROUP BY s HAVING max(v) > 1100

query nightly
SELECT count(*) FROM many HAVING count(*) > 1000

query
SELECT count(DISTINCT k) FROM many

query
SELECT count(DISTINCT s), sum(DISTINCT d), avg(DISTINCT v) FROM many

query nightly
SELECT p, count(DISTINCT s) FROM many GROUP BY p

query nightly
SELECT p, count(DISTINCT s), count(*), sum(v), min(w), max(s) FROM many GROUP BY p

query nightly
SELECT count(DISTINCT s, p), count(*), sum(v) FROM many

query nightly
SELECT p, count(DISTINCT s, d) FROM many GROUP BY p

query nightly
SELECT sum(DISTINCT d), sum(d), count(DISTINCT d), count(d) FROM many

query
SELECT count(DISTINCT bin), count(DISTINCT st), count(DISTINCT x), count(DISTINCT w), max(i) FROM everything

query nightly
SELECT count(DISTINCT s), count(DISTINCT k) FROM many

query
SELECT max(total), min(total), count(*) FROM (SELECT k, sum(v) AS total FROM many GROUP BY k)

query nightly
SELECT n, count(*) FROM (SELECT s, count(*) AS n FROM many GROUP BY s) GROUP BY n

query nightly
SELECT avg(n) FROM (SELECT k, count(DISTINCT s) AS n FROM many GROUP BY k)

query nightly
SELECT total FROM (SELECT s, sum(v) AS total FROM many GROUP BY s) WHERE total > (SELECT avg(v) FROM many)

query
SELECT count(*), sum(i), min(s), max(d), avg(m), count(DISTINCT s), sum(l), bool_or(p), first(x), stddev(d) FROM empty

query nightly
SELECT s, count(*), sum(i), count(DISTINCT l) FROM empty GROUP BY s

query
SELECT count(*), sum(v), max(s) FROM many WHERE i > 1000

query nightly
SELECT k, count(*), sum(v), max(s) FROM many WHERE i > 1000 GROUP BY k

query nightly
SELECT count(*) + 1, coalesce(sum(i), -1) FROM empty

query nightly
SELECT DISTINCT s FROM empty

query ansi_error(ARITHMETIC_OVERFLOW) replay
SELECT sum(z) FROM large

query nightly ansi_error(ARITHMETIC_OVERFLOW) replay
SELECT i, sum(z) FROM large GROUP BY i

query ansi_error(ARITHMETIC_OVERFLOW) replay
SELECT sum(l + l) FROM large

query ansi_error(NUMERIC_VALUE_OUT_OF_RANGE)
SELECT sum(z * 10) FROM large

query replay
SELECT try_sum(z), max(z), min(z), count(z) FROM large

query ansi_error(DIVIDE_BY_ZERO)
SELECT sum(100 div (k - 5)) FROM many

query nightly ansi_error(REMAINDER_BY_ZERO|DIVIDE_BY_ZERO)
SELECT 100 % (k - 5) AS key, count(*) FROM many GROUP BY key

query nightly ansi_error(DIVIDE_BY_ZERO)
SELECT k, 100 div (count(*) - 5) FROM many GROUP BY k

query
SELECT first(v) FILTER (WHERE i > 20), first(s) FILTER (WHERE v IS NULL), last(v) FILTER (WHERE i < 20), first(v) FILTER (WHERE i > 1000), first(s, true) FILTER (WHERE i = 11 OR i = 30) FROM many WHERE i <= 400

query
SELECT k, count(*) FROM (SELECT k, v FROM many WHERE p UNION ALL SELECT k, i FROM many WHERE NOT p) GROUP BY k

query fallback(function histogram_numeric)
SELECT size(histogram_numeric(k, 3)) FROM many

query fallback(function array is not supported)
SELECT list, count(*) FROM (SELECT array(k % 3) AS list FROM many) GROUP BY list
