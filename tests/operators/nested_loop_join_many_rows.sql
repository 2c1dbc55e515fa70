-- Joins without keys of many rows: in batches as large as they come, since three rows at a time cost a
-- minute and show no more than nested_loop_join.sql does.
-- CONFIG spark.broadhead.batchRows=131072
-- CONFIG spark.sql.adaptive.optimizer.excludedRules=org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation
-- CONFIG spark.sql.files.maxPartitionBytes=3000
-- CONFIG spark.sql.files.openCostInBytes=0
-- CONFIG spark.sql.adaptive.enabled=true|false
-- COVERS BroadcastNestedLoopJoin

table l row_group(3)
SELECT * FROM VALUES (1, 'a', 0.0D, 1.50, DATE'2024-01-01', 10, true), (2, 'b', -0.0D, 2.50, DATE'2024-01-02', 20, false),
  (2, 'b', double('NaN'), 2.50, NULL, 30, NULL), (3, '', 1.5D, NULL, DATE'1969-12-31', 40, true), (NULL, NULL, NULL, 99.99, DATE'2024-01-01', 50, false),
  (4, 'äöü', double('NaN'), -1.00, DATE'2024-03-01', 60, true), (5, 'only left', 7.0D, 5.00, DATE'2025-01-01', NULL, true), (NULL, 'x', 2.0D, 0.00, NULL, 70, false) AS t(k, s, d, m, t, v, p)

table r row_group(2)
SELECT * FROM VALUES (1, 'a', -0.0D, 1.50, DATE'2024-01-01', 15, true), (2, 'b', double('NaN'), 2.50, DATE'2024-01-02', 25, true),
  (2, 'B', 0.0D, 2.51, DATE'2024-01-02', 5, false), (NULL, NULL, NULL, NULL, NULL, 50, NULL), (4, 'äöü', 3.0D, -1.00, DATE'2024-03-01', NULL, false),
  (6, 'only right', 8.0D, 6.00, DATE'2026-01-01', 80, false), (3, ' ', 1.5D, 1.00, DATE'1969-12-31', 45, true) AS t(k, s, d, m, t, v, p)

table tall
SELECT CAST(id AS INT) AS i, CASE id WHEN 17 THEN double('NaN') WHEN 18 THEN -0.0D WHEN 19 THEN 0.0D WHEN 20 THEN NULL ELSE id + 0.5D END AS d, CAST(id AS DECIMAL(9,2)) / 4 AS m, CASE WHEN id % 900 > 0 THEN concat('row ', id) END AS s, date_add(DATE'2000-01-01', CAST(id AS INT)) AS t FROM range(4200)

table many
SELECT CAST(id % 7 AS INT) AS k, id AS v, CAST(id % 3 AS STRING) AS s FROM range(200)

table others
SELECT CAST(id % 11 AS INT) AS k, id * 3 AS v, CAST(id % 4 AS STRING) AS s FROM range(90)

query
SELECT count(*) FROM many CROSS JOIN others

query nightly
SELECT count(*), sum(a.v) FROM many a JOIN others b ON a.v < b.v

query
SELECT /*+ BROADCAST(r) */ r.s, count(*), sum(l.v), min(r.v) FROM many l FULL JOIN others r ON l.v = r.v + 7 OR l.v < r.v - 195 GROUP BY r.s

query nightly
SELECT /*+ BROADCAST(l) */ count(*), count(l.k), count(r.k), sum(r.v) FROM many l LEFT JOIN others r ON l.v > r.v + 150

-- So many rows are tested with one row of the other side at a time, whichever side is broadcast.
query
SELECT /*+ BROADCAST(l) */ a.i, l.k, l.v FROM tall a JOIN l ON a.d >= l.d AND a.d <= l.d

query nightly
SELECT /*+ BROADCAST(a) */ a.i, l.k, l.v FROM tall a JOIN l ON a.d >= l.d AND a.d <= l.d

query
SELECT /*+ BROADCAST(r) */ a.i, r.* FROM (SELECT * FROM tall WHERE i < 4150) a FULL JOIN r ON a.m * 2 > r.m + 2090 AND coalesce(r.p, a.i % 3 = 0)

query nightly
SELECT /*+ BROADCAST(a) */ count(*), sum(a.i), count(r.k), sum(r.v) FROM r RIGHT JOIN tall a ON contains(a.s, r.k) OR a.t = r.t

query
SELECT /*+ BROADCAST(l) */ count(*), sum(a.i) FROM tall a LEFT ANTI JOIN l ON a.i <= l.v OR l.v IS NULL AND a.d IS NULL

query nightly
SELECT /*+ BROADCAST(l) */ a.i FROM tall a LEFT SEMI JOIN l ON CASE WHEN l.k = 2 THEN a.i % 1000 = l.v WHEN l.k > 4 THEN a.s LIKE '%77%' END

query ansi_error(DIVIDE_BY_ZERO)
SELECT /*+ BROADCAST(r) */ a.i FROM tall a JOIN r ON a.i / (r.v - 15) > 400
