-- Joins with a broadcast side: what only they have beside joins.sql, as NOT IN.
-- CONFIG spark.sql.adaptive.enabled=true|false
-- CONFIG spark.sql.adaptive.optimizer.excludedRules=org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation
-- COVERS BroadcastHashJoin BroadcastExchange

table l
SELECT * FROM VALUES (1, 'a', 0.0D, 1.50, DATE'2024-01-01', 10, true), (2, 'b', -0.0D, 2.50, DATE'2024-01-02', 20, false),
  (2, 'b', double('NaN'), 2.50, NULL, 30, NULL), (3, '', 1.5D, NULL, DATE'1969-12-31', 40, true), (NULL, NULL, NULL, 99.99, DATE'2024-01-01', 50, false),
  (4, 'äöü', double('NaN'), -1.00, DATE'2024-03-01', 60, true), (5, 'only left', 7.0D, 5.00, DATE'2025-01-01', NULL, true), (NULL, 'x', 2.0D, 0.00, NULL, 70, false) AS t(k, s, d, m, t, v, p)

table r
SELECT * FROM VALUES (1, 'a', -0.0D, 1.50, DATE'2024-01-01', 15, true), (2, 'b', double('NaN'), 2.50, DATE'2024-01-02', 25, true),
  (2, 'B', 0.0D, 2.51, DATE'2024-01-02', 5, false), (NULL, NULL, NULL, NULL, NULL, 50, NULL), (4, 'äöü', 3.0D, -1.00, DATE'2024-03-01', NULL, false),
  (6, 'only right', 8.0D, 6.00, DATE'2026-01-01', 80, false), (3, ' ', 1.5D, 1.00, DATE'1969-12-31', 45, true) AS t(k, s, d, m, t, v, p)

table small
SELECT * FROM VALUES (1, 'one'), (2, 'two'), (2, 'zwei'), (9, 'nine') AS t(k, name)

table nothing
SELECT k, s, d, m, t, v, p FROM r WHERE k > 100

table many
SELECT CAST(id % 7 AS INT) AS k, id AS v, CAST(id % 3 AS STRING) AS s FROM range(200)

table others
SELECT CAST(id % 11 AS INT) AS k, id * 3 AS v, CAST(id % 4 AS STRING) AS s FROM range(90)

query
SELECT /*+ BROADCAST(r) */ l.*, r.* FROM l LEFT JOIN r ON l.s = r.s

query nightly
SELECT /*+ BROADCAST(r) */ l.*, r.* FROM l LEFT JOIN r ON l.m = r.m

query
SELECT /*+ BROADCAST(r) */ l.*, r.* FROM l LEFT JOIN r ON l.t = r.t

query nightly
SELECT /*+ BROADCAST(r) */ l.*, r.* FROM l LEFT JOIN r ON l.p = r.p

query
SELECT /*+ BROADCAST(r) */ l.*, r.* FROM l LEFT JOIN r ON l.s = r.s AND (l.v + r.v) % 2 = 1

query
SELECT /*+ BROADCAST(r) */ l.*, r.* FROM l LEFT JOIN r ON l.k <=> r.k

query nightly
SELECT /*+ BROADCAST(r) */ l.*, r.* FROM l LEFT JOIN r ON l.k + 1 = r.k * 1 AND l.p

query
SELECT /*+ BROADCAST(r) */ count(*) FROM l LEFT JOIN r ON l.k = r.k

query
SELECT * FROM l WHERE k NOT IN (SELECT k FROM r)

query
SELECT * FROM l WHERE k NOT IN (SELECT k FROM r WHERE k IS NOT NULL)

query
SELECT * FROM l WHERE k NOT IN (SELECT k FROM nothing)

query
SELECT * FROM l WHERE s NOT IN (SELECT s FROM r WHERE s IS NOT NULL)

query
SELECT * FROM l WHERE (k, s) NOT IN (SELECT k, s FROM r WHERE k IS NOT NULL)

query
SELECT count(*) FROM l WHERE k IN (SELECT k FROM r)

query
SELECT name, sum(v) FROM many JOIN small ON many.k = small.k GROUP BY name

query
SELECT /*+ BROADCAST(b), BROADCAST(c) */ a.v, b.v, c.name FROM many a JOIN others b ON a.k = b.k AND a.v = b.v LEFT JOIN small c ON c.k = a.k

query ansi_error(DIVIDE_BY_ZERO)
SELECT /*+ BROADCAST(r) */ l.v FROM l JOIN r ON l.k = r.k AND l.v / (r.v - 15) > 0

query
SELECT /*+ BROADCAST(r) */ l.v FROM l JOIN r ON l.k = r.k AND CASE WHEN r.v <> 15 THEN l.v / (r.v - 15) > 0 END
