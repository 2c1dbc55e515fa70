-- Hash joins of two shuffled sides: what only they have beside joins.sql.
-- CONFIG spark.sql.autoBroadcastJoinThreshold=-1
-- CONFIG spark.sql.shuffle.partitions=3
-- CONFIG spark.sql.adaptive.optimizer.excludedRules=org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation
-- COVERS ShuffledHashJoin

table l
SELECT * FROM VALUES (1, 'a', 0.0D, 1.50, DATE'2024-01-01', 10, true), (2, 'b', -0.0D, 2.50, DATE'2024-01-02', 20, false),
  (2, 'b', double('NaN'), 2.50, NULL, 30, NULL), (3, '', 1.5D, NULL, DATE'1969-12-31', 40, true), (NULL, NULL, NULL, 99.99, DATE'2024-01-01', 50, false),
  (4, 'äöü', double('NaN'), -1.00, DATE'2024-03-01', 60, true), (5, 'only left', 7.0D, 5.00, DATE'2025-01-01', NULL, true), (NULL, 'x', 2.0D, 0.00, NULL, 70, false) AS t(k, s, d, m, t, v, p)

table r
SELECT * FROM VALUES (1, 'a', -0.0D, 1.50, DATE'2024-01-01', 15, true), (2, 'b', double('NaN'), 2.50, DATE'2024-01-02', 25, true),
  (2, 'B', 0.0D, 2.51, DATE'2024-01-02', 5, false), (NULL, NULL, NULL, NULL, NULL, 50, NULL), (4, 'äöü', 3.0D, -1.00, DATE'2024-03-01', NULL, false),
  (6, 'only right', 8.0D, 6.00, DATE'2026-01-01', 80, false), (3, ' ', 1.5D, 1.00, DATE'1969-12-31', 45, true) AS t(k, s, d, m, t, v, p)

table nothing
SELECT k, s, d, m, t, v, p FROM r WHERE k > 100

table wide
SELECT * FROM VALUES (CAST('12345678901234567890.12' AS DECIMAL(38,2)), 1), (CAST('1.50' AS DECIMAL(38,2)), 2), (CAST(NULL AS DECIMAL(38,2)), 3), (CAST('-1.00' AS DECIMAL(38,2)), 4) AS t(w, n)

table many
SELECT CAST(id % 7 AS INT) AS k, id AS v, CAST(id % 3 AS STRING) AS s FROM range(200)

table others
SELECT CAST(id % 11 AS INT) AS k, id * 3 AS v, CAST(id % 4 AS STRING) AS s FROM range(90)

query
SELECT /*+ SHUFFLE_HASH(l) */ l.*, r.* FROM l LEFT JOIN r ON l.k = r.k

query nightly
SELECT /*+ SHUFFLE_HASH(l) */ l.*, r.* FROM l LEFT JOIN r ON l.d = r.d

query
SELECT /*+ SHUFFLE_HASH(l) */ l.*, r.* FROM l LEFT JOIN r ON l.k = r.k AND l.s = r.s

query
SELECT /*+ SHUFFLE_HASH(l) */ l.*, r.* FROM l LEFT JOIN r ON l.k = r.k AND l.v < r.v

query
SELECT /*+ SHUFFLE_HASH(l) */ l.*, r.* FROM l LEFT JOIN nothing r ON l.k = r.k

query nightly
SELECT /*+ SHUFFLE_HASH(l) */ l.k, r.v FROM nothing l LEFT JOIN r ON l.k = r.k AND l.v < r.v

query
SELECT /*+ SHUFFLE_HASH(l) */ l.v, r.v FROM many l LEFT JOIN others r ON l.k = r.k AND l.s <> r.s

query
SELECT /*+ SHUFFLE_HASH(l) */ l.*, r.* FROM l FULL JOIN r ON l.k = r.k

query
SELECT /*+ SHUFFLE_HASH(l) */ l.*, r.* FROM l FULL JOIN r ON l.d = r.d

query nightly
SELECT /*+ SHUFFLE_HASH(l) */ l.*, r.* FROM l FULL JOIN r ON l.k = r.k AND l.s = r.s

query
SELECT /*+ SHUFFLE_HASH(l) */ l.*, r.* FROM l FULL JOIN r ON l.k = r.k AND l.v < r.v

query
SELECT /*+ SHUFFLE_HASH(l) */ l.*, r.* FROM l FULL JOIN nothing r ON l.k = r.k

query nightly
SELECT /*+ SHUFFLE_HASH(l) */ l.k, r.v FROM nothing l FULL JOIN r ON l.k = r.k AND l.v < r.v

query
SELECT /*+ SHUFFLE_HASH(l) */ l.v, r.v FROM many l FULL JOIN others r ON l.k = r.k AND l.s <> r.s

query ansi_error(DIVIDE_BY_ZERO)
SELECT /*+ SHUFFLE_HASH(r) */ l.k, r.k FROM l LEFT JOIN r ON 10 div (l.k - 3) = r.k

query ansi_error(DIVIDE_BY_ZERO)
SELECT /*+ SHUFFLE_HASH(r) */ l.k, r.k FROM l FULL JOIN r ON l.k = 10 div (r.k - 4) AND l.s = upper(r.s)

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT /*+ REPARTITION(3, m) */ v, v + 2147483600 AS m FROM l

query ansi_error(NUMERIC_VALUE_OUT_OF_RANGE)
SELECT /*+ SHUFFLE_HASH(r) */ x.n, r.k FROM wide x LEFT JOIN r ON CAST(x.w AS DECIMAL(20,2)) = r.m
