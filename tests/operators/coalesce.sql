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
