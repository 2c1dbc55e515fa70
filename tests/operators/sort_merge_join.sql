-- Joins that Spark runs by sorting both sides, and the engine by hashing: what only they have beside
-- joins.sql, as the order of rows that something above relies on.
-- CONFIG spark.sql.autoBroadcastJoinThreshold=-1
-- CONFIG spark.sql.shuffle.partitions=3
-- CONFIG spark.sql.adaptive.optimizer.excludedRules=org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation
-- COVERS SortMergeJoin

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

table many
SELECT CAST(id % 7 AS INT) AS k, id AS v, CAST(id % 3 AS STRING) AS s FROM range(200)

table others
SELECT CAST(id % 11 AS INT) AS k, id * 3 AS v, CAST(id % 4 AS STRING) AS s FROM range(90)

table twins
SELECT CAST(id % 9 AS INT) AS k, IF(id % 5 = 4, NULL, CAST(id % 5 AS INT)) AS w FROM range(60)

table pairs
SELECT * FROM VALUES (0, 0), (0, 0), (1, 1), (1, 2), (2, NULL), (2, 3), (3, NULL), (5, 2147483647), (5, -2147483648), (NULL, 1) AS t(k, w)

query
SELECT /*+ MERGE(r) */ l.k, l.v, r.v FROM l JOIN r ON l.k = r.k ORDER BY l.k, l.v, r.v

query
SELECT a.v, b.v, c.v FROM many a JOIN others b ON a.k = b.k JOIN r c ON b.k = c.k

query nightly
SELECT a.k, count(*), max(b.v) FROM many a JOIN others b ON a.k = b.k GROUP BY a.k

query
SELECT a.k, max(b.s) FROM many a JOIN others b ON a.k = b.k GROUP BY a.k

query
SELECT a.v, b.v, row_number() OVER (PARTITION BY a.k ORDER BY a.v, b.v) FROM many a JOIN others b ON a.k = b.k

query ansi_error(DIVIDE_BY_ZERO)
SELECT l.v FROM l JOIN r ON l.k = r.k AND l.v / (r.v - 15) > 0

query nightly
SELECT * FROM many NATURAL JOIN others

query
SELECT * FROM small NATURAL LEFT JOIN pairs

query
SELECT * FROM pairs NATURAL FULL JOIN twins

query nightly
SELECT k, v, highest, n FROM many, LATERAL (SELECT max(others.v) AS highest, count(*) AS n FROM others WHERE others.k = many.k)

query
SELECT small.name, t.w FROM small LEFT JOIN LATERAL (SELECT DISTINCT w FROM twins WHERE twins.k = small.k) t ON t.w > 1

query
SELECT small.name, t.w, t.next FROM small, LATERAL (SELECT w, w + small.k AS next FROM twins WHERE twins.k = small.k) t
