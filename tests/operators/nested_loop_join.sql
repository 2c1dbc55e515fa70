-- Joins without keys: one side broadcast, all pairs looked at. Most tables are read by several tasks.
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

table small
SELECT * FROM VALUES (1, 'one'), (2, 'two'), (2, 'zwei'), (9, 'nine') AS t(k, name)

table nothing
SELECT k, s, d, m, t, v, p FROM r WHERE k > 100

table twins row_group(2)
SELECT * FROM VALUES (1, 10), (1, 10), (1, 10), (2, 45), (2, 45), (NULL, NULL), (NULL, NULL), (3, 90), (3, 90) AS t(k, v)

table structs row_group(2)
SELECT k, v, array(k, v) AS a, named_struct('x', s, 'y', array(d)) AS b, map('key', m) AS c FROM r

table days partitioned(day) row_group(20)
SELECT id, id % 50 AS v, id % 3 AS day FROM range(120)

table wide
SELECT * FROM VALUES (CAST('12345678901234567890.12' AS DECIMAL(38,2)), 1), (CAST('1.50' AS DECIMAL(38,2)), 2), (CAST(NULL AS DECIMAL(38,2)), 3), (CAST('-1.00' AS DECIMAL(38,2)), 4) AS t(w, n)

query
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l JOIN r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l JOIN r ON l.v < r.v AND l.p

query nightly
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l JOIN r ON startswith(l.s, r.s)

query nightly
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l JOIN r ON l.v IS NULL OR r.v IS NULL

query
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l LEFT JOIN r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l LEFT JOIN r ON l.v < r.v AND l.p

query nightly
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l LEFT JOIN r ON startswith(l.s, r.s)

query nightly
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l LEFT JOIN r ON l.v IS NULL OR r.v IS NULL

query nightly
SELECT /*+ BROADCAST(l) */ l.k, l.v, r.k, r.v FROM l RIGHT JOIN r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(l) */ l.k, l.v, r.k, r.v FROM l RIGHT JOIN r ON l.v < r.v AND l.p

query
SELECT /*+ BROADCAST(l) */ l.k, l.v, r.k, r.v FROM l RIGHT JOIN r ON startswith(l.s, r.s)

query nightly
SELECT /*+ BROADCAST(l) */ l.k, l.v, r.k, r.v FROM l RIGHT JOIN r ON l.v IS NULL OR r.v IS NULL

query nightly
SELECT /*+ BROADCAST(r) */ l.* FROM l LEFT SEMI JOIN r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(r) */ l.* FROM l LEFT SEMI JOIN r ON l.v < r.v AND l.p

query nightly
SELECT /*+ BROADCAST(r) */ l.* FROM l LEFT SEMI JOIN r ON startswith(l.s, r.s)

query nightly
SELECT /*+ BROADCAST(r) */ l.* FROM l LEFT SEMI JOIN r ON l.v IS NULL OR r.v IS NULL

query
SELECT /*+ BROADCAST(r) */ l.* FROM l LEFT ANTI JOIN r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(r) */ l.* FROM l LEFT ANTI JOIN r ON l.v < r.v AND l.p

query nightly
SELECT /*+ BROADCAST(r) */ l.* FROM l LEFT ANTI JOIN r ON startswith(l.s, r.s)

query nightly
SELECT /*+ BROADCAST(r) */ l.* FROM l LEFT ANTI JOIN r ON l.v IS NULL OR r.v IS NULL

query
SELECT l.k, r.k FROM l CROSS JOIN r

query nightly
SELECT /*+ BROADCAST(r) */ l.k FROM l LEFT JOIN nothing r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(r) */ l.k FROM l LEFT ANTI JOIN nothing r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(r) */ l.k, r.k FROM nothing l LEFT JOIN r ON l.v < r.v

query
SELECT l.k, l.v FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.v > l.v + 10) OR l.p

query nightly
SELECT l.* FROM l WHERE k NOT IN (SELECT r.k FROM r WHERE r.v > l.v)

query
SELECT /*+ BROADCAST(l) */ l.*, r.* FROM l FULL JOIN r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(l) */ l.s, r.d FROM l FULL JOIN r ON r.p AND l.v >= r.v

query nightly
SELECT /*+ BROADCAST(l) */ l.*, r.* FROM l FULL JOIN r ON l.d = r.d OR l.d > r.d + 1

query nightly
SELECT /*+ BROADCAST(l) */ l.s, r.d FROM l FULL JOIN r ON l.v IS NULL OR r.v IS NULL

query
SELECT /*+ BROADCAST(l) */ l.k, l.v, r.k, r.v FROM l FULL JOIN r ON r.v > 1000

query nightly
SELECT /*+ BROADCAST(l) */ l.s, r.d FROM l FULL JOIN r ON l.v <=> r.v OR l.t > r.t

query nightly
SELECT /*+ BROADCAST(l) */ l.*, r.* FROM l FULL JOIN r ON true

query nightly
SELECT /*+ BROADCAST(r) */ l.*, r.* FROM l FULL JOIN r ON l.v < r.v

query
SELECT /*+ BROADCAST(r) */ l.s, r.d FROM l FULL JOIN r ON r.p AND l.v >= r.v

query nightly
SELECT /*+ BROADCAST(r) */ l.*, r.* FROM l FULL JOIN r ON l.d = r.d OR l.d > r.d + 1

query nightly
SELECT /*+ BROADCAST(r) */ l.s, r.d FROM l FULL JOIN r ON l.v IS NULL OR r.v IS NULL

query nightly
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l FULL JOIN r ON r.v > 1000

query
SELECT /*+ BROADCAST(r) */ l.s, r.d FROM l FULL JOIN r ON l.v <=> r.v OR l.t > r.t

query nightly
SELECT /*+ BROADCAST(r) */ l.*, r.* FROM l FULL JOIN r ON true

query nightly
SELECT /*+ BROADCAST(l) */ l.k, l.v, r.k, r.v FROM l LEFT JOIN r ON l.v < r.v AND l.p

query nightly
SELECT /*+ BROADCAST(l) */ l.s, r.d FROM l LEFT JOIN r ON r.p AND l.v >= r.v

query nightly
SELECT /*+ BROADCAST(l) */ l.*, r.* FROM l LEFT JOIN r ON l.d = r.d OR l.d > r.d + 1

query nightly
SELECT /*+ BROADCAST(l) */ l.*, r.* FROM l LEFT JOIN r ON l.v > 1000

query
SELECT /*+ BROADCAST(l) */ l.*, r.* FROM l LEFT JOIN r ON true

query nightly
SELECT /*+ BROADCAST(r) */ l.*, r.* FROM l RIGHT JOIN r ON l.v < r.v

query
SELECT /*+ BROADCAST(r) */ l.s, r.d FROM l RIGHT JOIN r ON r.p AND l.v >= r.v

query nightly
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l RIGHT JOIN r ON startswith(l.s, r.s)

query nightly
SELECT /*+ BROADCAST(r) */ l.s, r.d FROM l RIGHT JOIN r ON l.v IS NULL OR r.v IS NULL

query nightly
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k, r.v FROM l RIGHT JOIN r ON r.v > 1000

query nightly
SELECT /*+ BROADCAST(r) */ l.s, r.d FROM l RIGHT JOIN r ON l.v <=> r.v OR l.t > r.t

query
SELECT /*+ BROADCAST(l) */ l.k, l.v FROM l LEFT SEMI JOIN r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(l) */ l.k, l.v FROM l LEFT ANTI JOIN r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(l) */ l.k, l.v FROM l LEFT SEMI JOIN r ON l.d = r.d OR l.d > r.d + 1

query nightly
SELECT /*+ BROADCAST(l) */ l.k, l.v FROM l LEFT ANTI JOIN r ON l.d = r.d OR l.d > r.d + 1

query
SELECT /*+ BROADCAST(l) */ l.k, l.v FROM l LEFT SEMI JOIN r ON l.v > 1000

query nightly
SELECT /*+ BROADCAST(l) */ l.k, l.v FROM l LEFT ANTI JOIN r ON true

query nightly
SELECT /*+ BROADCAST(l) */ l.k, l.v FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.v > l.v + 10) OR l.p

query
SELECT /*+ BROADCAST(r) */ l.k, r.* FROM l FULL JOIN twins r ON l.v = r.v OR l.v > r.v + 40

query nightly
SELECT /*+ BROADCAST(r) */ r.k, count(l.k) FROM l RIGHT JOIN twins r ON l.v > r.v + 30 GROUP BY r.k

query nightly
SELECT /*+ BROADCAST(l) */ l.*, r.* FROM twins l FULL JOIN twins r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(l) */ l.k, r.k, r.v FROM nothing l FULL JOIN r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(l) */ l.k, l.v, r.k FROM l FULL JOIN nothing r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(r) */ l.k, r.k, r.v FROM nothing l FULL JOIN r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k FROM l FULL JOIN nothing r ON l.v < r.v

query
SELECT /*+ BROADCAST(l) */ l.k, r.k, r.v FROM nothing l LEFT JOIN r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(l) */ l.k, l.v, r.k FROM l LEFT JOIN nothing r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(r) */ l.k, r.k, r.v FROM nothing l LEFT JOIN r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(r) */ l.k, r.k, r.v FROM nothing l RIGHT JOIN r ON l.v < r.v

query
SELECT /*+ BROADCAST(r) */ l.k, l.v, r.k FROM l RIGHT JOIN nothing r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(l) */ l.k, r.k FROM nothing l FULL JOIN nothing r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(l) */ l.*, r.id FROM twins l LEFT JOIN (SELECT * FROM days WHERE day = 7) r ON l.v < r.v

query
SELECT /*+ BROADCAST(r) */ l.*, r.* FROM twins l FULL JOIN (SELECT * FROM days WHERE day = 7) r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(n) */ l.k, l.s, n.* FROM l FULL JOIN structs n ON l.v < n.v - 30

query nightly
SELECT /*+ BROADCAST(l) */ l.k, l.s, n.* FROM l FULL JOIN structs n ON l.v < n.v - 30

query nightly
SELECT /*+ BROADCAST(n) */ n.*, l.k FROM structs n LEFT JOIN l ON l.v < n.v - 30

query
SELECT /*+ BROADCAST(w) */ l.k, w.* FROM l FULL JOIN wide w ON l.m > w.w

query nightly
SELECT /*+ BROADCAST(l) */ l.k, w.* FROM l FULL JOIN wide w ON l.m > w.w

query nightly
SELECT /*+ BROADCAST(r) */ l.k AS x, r.k AS y, r.v AS z FROM l FULL JOIN r ON l.v < r.v ORDER BY x, y, z, l.v

query
SELECT /*+ BROADCAST(r) */ l.k AS x, r.v AS z FROM l RIGHT JOIN r ON l.v > r.v + 10 ORDER BY z DESC, x LIMIT 4

query nightly
SELECT j.*, small.name FROM (SELECT /*+ BROADCAST(r) */ l.v, r.k FROM l FULL JOIN r ON l.v > r.v) j JOIN small ON j.k = small.k

query
SELECT /*+ BROADCAST(j) */ small.*, j.* FROM small FULL JOIN (SELECT /*+ BROADCAST(r) */ l.v, r.k FROM l FULL JOIN r ON l.v > r.v + 20) j ON small.k > j.k

query nightly
SELECT /*+ BROADCAST(r) */ a.v, r.v FROM (SELECT k, sum(v) AS v FROM l GROUP BY k) a FULL JOIN r ON a.v < r.v

query nightly
SELECT /*+ BROADCAST(r) */ a.v, r.v FROM (SELECT /*+ REPARTITION(4) */ * FROM l) a FULL JOIN r ON a.v < r.v

query
SELECT /*+ BROADCAST(r) */ a.v, r.v FROM (SELECT v FROM l UNION ALL SELECT v FROM twins) a FULL JOIN r ON a.v < r.v

query nightly
SELECT k, v FROM twins UNION ALL SELECT /*+ BROADCAST(r) */ l.k, r.v FROM l FULL JOIN r ON l.v < r.v - 20

query
SELECT /*+ BROADCAST(r) */ l.v, r.v FROM l FULL JOIN r ON l.v < r.v + (SELECT max(v) FROM twins) - 90

query nightly
SELECT /*+ BROADCAST(r) */ l.v, r.v, sum(r.v) OVER (PARTITION BY l.k ORDER BY l.v, r.v) FROM l FULL JOIN r ON l.v < r.v

query
SELECT /*+ BROADCAST(r) */ DISTINCT r.k, l.p FROM l FULL JOIN r ON l.v < r.v

query nightly
SELECT /*+ BROADCAST(r) */ a.v, r.v FROM (SELECT /*+ REPARTITION(1) */ * FROM l) a FULL JOIN r ON a.v < r.v

query nightly ansi_error(DIVIDE_BY_ZERO)
SELECT /*+ BROADCAST(l) */ l.v, r.v FROM l FULL JOIN r ON l.v / (r.v - 15) > r.k

query ansi_error(DIVIDE_BY_ZERO)
SELECT /*+ BROADCAST(r) */ l.v, r.v FROM l FULL JOIN r ON l.v / (r.v - 15) > r.k

query nightly ansi_error(DIVIDE_BY_ZERO)
SELECT /*+ BROADCAST(l) */ l.v, r.v FROM l LEFT JOIN r ON l.v / (r.v - 15) > r.k

query nightly ansi_error(DIVIDE_BY_ZERO)
SELECT /*+ BROADCAST(r) */ l.v, r.v FROM l RIGHT JOIN r ON l.v / (r.v - 15) > r.k

query ansi_error(DIVIDE_BY_ZERO)
SELECT /*+ BROADCAST(l) */ l.v FROM l LEFT ANTI JOIN r ON l.v / (r.v - 15) > r.k

query nightly ansi_error(DIVIDE_BY_ZERO)
SELECT /*+ BROADCAST(r) */ l.v, r.v FROM (SELECT /*+ REPARTITION(1) */ * FROM l) l FULL JOIN r ON l.v / (r.v - 15) > r.k

query nightly ansi_error(DIVIDE_BY_ZERO)
SELECT /*+ BROADCAST(r) */ l.v FROM l JOIN r ON l.v / (r.v - 15) > r.k
