-- The first rows of an order, with limits and offsets, at the root and below other operators.
-- LIMIT with OFFSET is in test_sorted_results.py: Spark cannot plan it without constant folding.
-- CONFIG spark.sql.adaptive.enabled=true|false

table rows row_group(7)
SELECT i, IF(i % 7 = 0, NULL, i % 5) AS k, IF(i % 6 = 0, NULL, concat('s', CAST(i % 11 AS STRING))) AS s FROM (SELECT explode(sequence(1, 60)) AS i)

query
SELECT i, s FROM rows ORDER BY s, i LIMIT 7

query
SELECT i + 1 AS j, upper(s) FROM rows WHERE k > 1 ORDER BY s DESC NULLS LAST, i LIMIT 5

query
SELECT k FROM rows ORDER BY i LIMIT 1

query
SELECT i FROM rows ORDER BY k, s, i LIMIT 1000

query
SELECT i, k FROM rows WHERE i < 0 ORDER BY i LIMIT 3

query
SELECT count(*), sum(i) FROM (SELECT i FROM rows ORDER BY k DESC, i LIMIT 9)

query
SELECT i FROM (SELECT i, s FROM rows ORDER BY i LIMIT 10) WHERE s > 's2'

query
SELECT i FROM rows WHERE k = (SELECT k FROM rows WHERE k IS NOT NULL ORDER BY i DESC LIMIT 1)

query
SELECT k, sum(i) AS total FROM rows GROUP BY k ORDER BY total DESC, k LIMIT 2

query
SELECT i FROM (SELECT i FROM rows ORDER BY i LIMIT 4) UNION ALL SELECT i FROM (SELECT i FROM rows ORDER BY i DESC LIMIT 3)

query
SELECT st, bin, t FROM everything ORDER BY st DESC, bin, t LIMIT 3

query
SELECT l, b FROM integers ORDER BY l DESC NULLS FIRST, b LIMIT 9

query
SELECT b, l2 FROM integers ORDER BY b, l2 DESC LIMIT 10

query
SELECT d, f2 FROM floats ORDER BY d DESC, f2 NULLS LAST LIMIT 12

query
SELECT d, f2 FROM floats ORDER BY d NULLS LAST, f2 DESC LIMIT 12

query
SELECT m, w2 FROM decimals ORDER BY m DESC NULLS FIRST, w2 LIMIT 11

query
SELECT w, z2 FROM wide_decimals ORDER BY w, z2 DESC NULLS FIRST LIMIT 8

query
SELECT w, z2 FROM wide_decimals ORDER BY w DESC, z2 LIMIT 20

query
SELECT i, o FROM (SELECT i, k > 2 AS o FROM rows) ORDER BY o DESC NULLS LAST, i LIMIT 6

query
SELECT i, t FROM (SELECT i, date'2020-01-01' - (k * 400) AS t FROM rows) ORDER BY t DESC NULLS FIRST, i LIMIT 10

query
SELECT i, h FROM (SELECT i, concat(s, substring(s, 1, 1)) AS h FROM rows) ORDER BY h NULLS LAST, i LIMIT 10

query
SELECT i, x FROM (SELECT i, named_struct('k', k, 's', s) AS x FROM rows) ORDER BY x DESC, i LIMIT 7
