-- Coalesce: fewer partitions without a shuffle.

table rows row_group(8)
SELECT i, i % 5 AS k FROM (SELECT explode(sequence(1, 60)) AS i)

query
SELECT /*+ COALESCE(1) */ i + 1, k FROM rows WHERE k > 2

query
SELECT k, sum(j) FROM (SELECT /*+ COALESCE(1) */ k, i * 2 AS j FROM rows) GROUP BY k

query
SELECT count(*) FROM (SELECT /*+ COALESCE(3) */ i FROM rows WHERE i < 0)

query
SELECT /*+ COALESCE(2) */ k, count(*) FROM rows GROUP BY k

query
SELECT sum(id) FROM (SELECT /*+ COALESCE(2) */ id FROM range(0, 1000, 1, 7))

query
SELECT count(id) FROM (SELECT /*+ COALESCE(1) */ id FROM range(5, 5))

query
SELECT /*+ COALESCE(2) */ k, total FROM (SELECT k, sum(i) AS total FROM rows GROUP BY k) WHERE total > 250

query
SELECT /*+ COALESCE(3), BROADCAST(s) */ r.i, s.i FROM rows r LEFT JOIN rows s ON r.i = s.i * 2

query
SELECT /*+ COALESCE(2) */ i FROM (SELECT /*+ REPARTITION(5, k) */ i, k FROM rows) WHERE k < 3

query
SELECT /*+ COALESCE(2) */ i FROM (SELECT i FROM rows UNION ALL SELECT i + 100 FROM rows)
