-- Unions of inputs with different numbers of partitions.
-- CONFIG spark.sql.adaptive.enabled=true|false

table rows row_group(7)
SELECT i, i % 5 AS k, concat('s', CAST(i % 7 AS STRING)) AS s FROM (SELECT explode(sequence(1, 60)) AS i)

table others row_group(5)
SELECT i, IF(i % 3 = 0, NULL, i % 4) AS k, CAST(NULL AS STRING) AS s FROM (SELECT explode(sequence(1, 20)) AS i)

query
SELECT i, k, s FROM rows UNION ALL SELECT i, k, s FROM others

query
SELECT k, i FROM rows WHERE i > 10 UNION ALL SELECT -k, i * 2 FROM others WHERE i < 30

query
SELECT k, count(*), sum(i) FROM (SELECT k, i FROM rows WHERE i > 10 UNION ALL SELECT -k, i * 2 FROM others) GROUP BY k

query
SELECT i FROM rows WHERE k = 1 UNION SELECT i - 1 FROM rows WHERE k = 2

query
SELECT s FROM (SELECT i, k, s FROM rows UNION ALL SELECT k, i, s FROM others) WHERE i < 4

query
SELECT i, 'rows' AS source FROM rows WHERE k = 0 UNION ALL SELECT k, 'others' FROM others UNION ALL SELECT max(i), 'last' FROM rows

query
SELECT count(*) FROM rows UNION ALL SELECT count(*) FROM others UNION ALL SELECT sum(i) FROM (SELECT DISTINCT i FROM others)

query
SELECT k, count(*) FROM rows GROUP BY k UNION ALL SELECT k, count(*) FROM others GROUP BY k

query
SELECT k, sum(n) FROM (SELECT k, count(*) AS n FROM rows GROUP BY k UNION ALL SELECT k, count(*) FROM others GROUP BY k) GROUP BY k

query
SELECT i FROM rows WHERE i > 1000 UNION ALL SELECT i FROM others WHERE i > 1000

query
SELECT i FROM (SELECT i FROM rows UNION ALL SELECT i FROM others) ORDER BY i DESC LIMIT 4

query
SELECT CAST(i AS BIGINT) AS i FROM rows UNION ALL SELECT CAST(k AS DECIMAL(20, 2)) FROM others

query replay
SELECT -(i * 1000000000000000000000000000000000000BD) FROM rows UNION ALL SELECT abs(i * 1000000000000000000000000000000000000BD) FROM others UNION ALL SELECT k FROM others
