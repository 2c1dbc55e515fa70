-- Joins that give the unmatched rows of their small side, which is broadcast; the large one is read twice.
-- CONFIG spark.sql.adaptive.optimizer.excludedRules=org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation
-- CONFIG spark.sql.files.maxPartitionBytes=9000
-- CONFIG spark.sql.files.openCostInBytes=0
-- CONFIG spark.sql.sources.fileCompressionFactor=10000
-- CONFIG spark.sql.autoBroadcastJoinThreshold=80m
-- COVERS SortMergeJoin

table many row_group(500)
SELECT IF(id % 50 = 49, NULL, CAST(id % 997 AS INT)) AS k, id AS v, CONCAT('text ', id % 211) AS s,
  CASE id % 5 WHEN 0 THEN double('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D WHEN 3 THEN NULL ELSE id / 7.0D END AS d,
  CAST(id % 90 AS DECIMAL(9,2)) AS m, DATE'2024-01-01' + CAST(id % 31 AS INT) AS t, id % 2 = 0 AS p FROM range(5000)

table few
SELECT * FROM VALUES (1, 10, 'text 1', 0.0D, 1.00, DATE'2024-01-01', true), (1, 11, 'text 2', -0.0D, 2.50, DATE'2024-01-02', false),
  (996, 12, 'text', double('NaN'), 89.00, NULL, NULL), (5000, 13, '', 1.5D, NULL, DATE'1969-12-31', true),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL), (-7, 4999, 'text 210', 714.0D, -1.00, DATE'2024-01-31', true) AS t(k, v, s, d, m, t, p)

table nothing
SELECT * FROM few WHERE k > 10000

query
SELECT f.k, f.v, m.k, m.v FROM few f FULL JOIN many m ON f.k = m.k

query
SELECT f.k, f.v, m.k, m.v FROM many m FULL JOIN few f ON f.k = m.k

query
SELECT f.*, m.v FROM few f LEFT JOIN many m ON f.k = m.k

query
SELECT f.*, m.v FROM many m RIGHT JOIN few f ON f.k = m.k

query
SELECT f.k, f.v, m.k, m.v FROM few f FULL JOIN many m ON f.k = m.k AND f.v < m.v

query nightly
SELECT f.k, f.v, m.k, m.v FROM many m FULL JOIN few f ON f.k = m.k AND m.v > 3000 AND f.p

query
SELECT f.k, f.v, m.k, m.v FROM few f LEFT JOIN many m ON f.k = m.k AND f.v + m.v > 2000

query
SELECT f.d, f.v, m.d, m.v FROM few f FULL JOIN many m ON f.d = m.d AND m.v < 40

query
SELECT f.s, f.v, m.s, m.v FROM few f FULL JOIN many m ON f.s = m.s AND f.v <=> m.v

query
SELECT f.m, f.t, m.v FROM few f FULL JOIN many m ON f.m = m.m AND f.t = m.t

query
SELECT f.k, f.v, m.v FROM few f FULL JOIN many m ON f.k <=> m.k

query nightly
SELECT f.k, f.v, m.v FROM few f LEFT JOIN many m ON f.v = m.v AND m.p

query
SELECT f.k, f.v, m.n FROM few f FULL JOIN (SELECT k + 1 AS k, v * 2 AS n FROM many WHERE v % 3 = 1) m ON f.k = m.k

query
SELECT f.k, f.n, m.v FROM (SELECT k, count(*) AS n FROM few GROUP BY k) f FULL JOIN many m ON f.k = m.k

query
SELECT f.k, m.v FROM nothing f FULL JOIN many m ON f.k = m.k

query
SELECT f.k, m.v FROM few f FULL JOIN (SELECT * FROM many WHERE v < 0) m ON f.k = m.k

query nightly
SELECT f.k, m.v FROM nothing f LEFT JOIN many m ON f.k = m.k

query ansi_error(DIVIDE_BY_ZERO)
SELECT f.k, m.v FROM few f FULL JOIN many m ON f.k = m.k AND 1 / (m.v - 1) > 0

query
SELECT coalesce(f.k, m.k) AS k, count(f.v) AS f, count(m.v) AS m FROM few f FULL JOIN many m ON f.k = m.k GROUP BY 1

query
SELECT f.k, m.v FROM few f LEFT JOIN many m ON f.k = m.k ORDER BY f.k, m.v LIMIT 7
