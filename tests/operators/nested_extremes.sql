-- min and max of arrays and structs.
-- CONFIG spark.sql.shuffle.partitions=3
-- CONFIG spark.sql.optimizer.excludedRules=org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation
-- CONFIG spark.broadhead.operatorMemory=512m|20k

table extremes row_group(16)
SELECT i, k, IF(i % 7 = 0, NULL, array(v, IF(i % 3 = 0, NULL, i % 4))) AS l, IF(i % 9 = 0, NULL, named_struct('a', IF(i % 5 = 0, NULL, v), 'b', CAST(i % 11 AS STRING))) AS r,
  named_struct('d', CAST(v AS DOUBLE) / 4, 'l', array(named_struct('x', i % 6), NULL), 'm', CAST(v AS DECIMAL(30,2))) AS n, slice(array('', 'b', 'ä', NULL), 1 + i % 3, i % 4) AS s, i % 5 > 1 AS p
FROM (SELECT i, IF(i % 13 = 0, NULL, i % 29) AS k, i * 7919 % 23 - 11 AS v FROM (SELECT explode(sequence(1, 200)) AS i))

table extremes append
SELECT i, CAST(NULL AS INT) AS k, CAST(NULL AS ARRAY<INT>) AS l, CAST(NULL AS STRUCT<a: INT, b: STRING>) AS r, CAST(NULL AS STRUCT<d: DOUBLE, l: ARRAY<STRUCT<x: INT>>, m: DECIMAL(30,2)>) AS n, CAST(array() AS ARRAY<STRING>) AS s, true AS p
FROM (SELECT explode(sequence(201, 220)) AS i)

query
SELECT min(l), max(l), min(r), max(r), min(n), max(n), min(s), max(s), count(*) FROM extremes

query
SELECT k, min(l), max(l), min(r), max(r), min(n), max(n), min(s), max(s), sum(i) FROM extremes GROUP BY k

query
SELECT i, min(l), max(r), max(n) FROM extremes GROUP BY i

query
SELECT p, max(struct(i, s)), min(struct(-i, l)), max(struct(k, i)).i FROM extremes GROUP BY p

query
SELECT k, min(l) FILTER (WHERE p), max(r) FILTER (WHERE i < 0), max(DISTINCT s), count(DISTINCT l) FROM extremes GROUP BY k

query
SELECT min(l), max(r), max(n) FROM extremes WHERE i < 0

query
SELECT l, min(r), max(n) FROM extremes GROUP BY l

query
SELECT i, min(l) OVER w, max(r) OVER w, max(n) OVER w, min(s) OVER w FROM extremes WINDOW w AS (PARTITION BY k ORDER BY i)

query
SELECT i, max(l) OVER (ORDER BY i), min(r) OVER (ORDER BY i ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING), max(s) OVER (PARTITION BY p), min(n) OVER (ORDER BY i DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) FROM extremes
