-- Joins without keys: one side broadcast, all pairs looked at.
-- CONFIG spark.sql.adaptive.optimizer.excludedRules=org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation
-- COVERS BroadcastNestedLoopJoin

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

table wide
SELECT * FROM VALUES (CAST('12345678901234567890.12' AS DECIMAL(38,2)), 1), (CAST('1.50' AS DECIMAL(38,2)), 2), (CAST(NULL AS DECIMAL(38,2)), 3), (CAST('-1.00' AS DECIMAL(38,2)), 4) AS t(w, n)

table many
SELECT CAST(id % 7 AS INT) AS k, id AS v, CAST(id % 3 AS STRING) AS s FROM range(200)

table others
SELECT CAST(id % 11 AS INT) AS k, id * 3 AS v, CAST(id % 4 AS STRING) AS s FROM range(90)

query
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l JOIN r ON l.v < r.v

query
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l JOIN r ON l.v < r.v AND l.p

query
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l JOIN r ON startswith(l.s, r.s)

query
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l JOIN r ON l.v IS NULL OR r.v IS NULL

query
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l LEFT JOIN r ON l.v < r.v

query
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l LEFT JOIN r ON l.v < r.v AND l.p

query
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l LEFT JOIN r ON startswith(l.s, r.s)

query
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l LEFT JOIN r ON l.v IS NULL OR r.v IS NULL

query
SELECT /*+ BROADCAST(l) */ l.k, l.v, r.k, r.v FROM l RIGHT JOIN r ON l.v < r.v

query
SELECT /*+ BROADCAST(l) */ l.k, l.v, r.k, r.v FROM l RIGHT JOIN r ON l.v < r.v AND l.p

query
SELECT /*+ BROADCAST(l) */ l.k, l.v, r.k, r.v FROM l RIGHT JOIN r ON startswith(l.s, r.s)

query
SELECT /*+ BROADCAST(l) */ l.k, l.v, r.k, r.v FROM l RIGHT JOIN r ON l.v IS NULL OR r.v IS NULL

query
SELECT /*+ BROADCAST(r) */ l.* FROM l LEFT SEMI JOIN r ON l.v < r.v

query
SELECT /*+ BROADCAST(r) */ l.* FROM l LEFT SEMI JOIN r ON l.v < r.v AND l.p

query
SELECT /*+ BROADCAST(r) */ l.* FROM l LEFT SEMI JOIN r ON startswith(l.s, r.s)

query
SELECT /*+ BROADCAST(r) */ l.* FROM l LEFT SEMI JOIN r ON l.v IS NULL OR r.v IS NULL

query
SELECT /*+ BROADCAST(r) */ l.* FROM l LEFT ANTI JOIN r ON l.v < r.v

query
SELECT /*+ BROADCAST(r) */ l.* FROM l LEFT ANTI JOIN r ON l.v < r.v AND l.p

query
SELECT /*+ BROADCAST(r) */ l.* FROM l LEFT ANTI JOIN r ON startswith(l.s, r.s)

query
SELECT /*+ BROADCAST(r) */ l.* FROM l LEFT ANTI JOIN r ON l.v IS NULL OR r.v IS NULL

query
SELECT l.k, r.k FROM l CROSS JOIN r

query
SELECT count(*) FROM many CROSS JOIN others

query
SELECT count(*), sum(a.v) FROM many a JOIN others b ON a.v < b.v

query
SELECT /*+ BROADCAST(r) */ l.k FROM l LEFT JOIN nothing r ON l.v < r.v

query
SELECT /*+ BROADCAST(r) */ l.k FROM l LEFT ANTI JOIN nothing r ON l.v < r.v

query
SELECT /*+ BROADCAST(r) */ l.k, r.k FROM nothing l LEFT JOIN r ON l.v < r.v

query
SELECT l.k, l.v FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.v > l.v + 10) OR l.p

query
SELECT l.* FROM l WHERE k NOT IN (SELECT r.k FROM r WHERE r.v > l.v)

query fallback(keeps rows of the broadcast side)
SELECT /*+ BROADCAST(l) */ l.k, r.k FROM l LEFT JOIN r ON l.v < r.v

query ansi_error(DIVIDE_BY_ZERO)
SELECT /*+ BROADCAST(r) */ l.v FROM l JOIN r ON l.v / (r.v - 15) > r.k
