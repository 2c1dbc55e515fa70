-- Joins by equal keys: types of joins and of keys, conditions, sides without rows. Each query runs as
-- a hash join of two shuffled sides, as a sort-merge join (which the engine runs by hashing) and with
-- one side broadcast; where Spark cannot run it so, as with a full outer join and a broadcast, it
-- chooses another join.
-- CONFIG spark.sql.autoBroadcastJoinThreshold=-1
-- CONFIG spark.sql.shuffle.partitions=3
-- CONFIG spark.sql.adaptive.enabled=true|false
-- CONFIG spark.sql.adaptive.optimizer.excludedRules=org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation
-- EACH join=SHUFFLE_HASH|MERGE|BROADCAST

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

table twins
SELECT CAST(id % 9 AS INT) AS k, IF(id % 5 = 4, NULL, CAST(id % 5 AS INT)) AS w FROM range(60)

table pairs
SELECT * FROM VALUES (0, 0), (0, 0), (1, 1), (1, 2), (2, NULL), (2, 3), (3, NULL), (5, 2147483647), (5, -2147483648), (NULL, 1) AS t(k, w)

query
SELECT /*+ {join}(r) */ l.*, r.* FROM l LEFT JOIN r ON l.k = r.k

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l LEFT JOIN r ON l.d = r.d

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l LEFT JOIN r ON l.k = r.k AND l.s = r.s

query
SELECT /*+ {join}(r) */ l.*, r.* FROM l LEFT JOIN r ON l.k = r.k AND l.v < r.v

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l LEFT JOIN nothing r ON l.k = r.k

query nightly
SELECT /*+ {join}(r) */ l.k, r.v FROM nothing l LEFT JOIN r ON l.k = r.k AND l.v < r.v

query
SELECT /*+ {join}(r) */ l.v, r.v FROM many l LEFT JOIN others r ON l.k = r.k AND l.s <> r.s

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l JOIN r ON l.k = r.k

query
SELECT /*+ {join}(r) */ l.*, r.* FROM l JOIN r ON l.d = r.d

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l JOIN r ON l.k = r.k AND l.s = r.s

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l JOIN r ON l.k = r.k AND l.v < r.v

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l JOIN nothing r ON l.k = r.k

query
SELECT /*+ {join}(r) */ l.k, r.v FROM nothing l JOIN r ON l.k = r.k AND l.v < r.v

query nightly
SELECT /*+ {join}(r) */ l.v, r.v FROM many l JOIN others r ON l.k = r.k AND l.s <> r.s

query nightly
SELECT /*+ {join}(r) */ l.* FROM l LEFT SEMI JOIN r ON l.k = r.k

query
SELECT /*+ {join}(r) */ l.* FROM l LEFT SEMI JOIN r ON l.d = r.d

query nightly
SELECT /*+ {join}(r) */ l.* FROM l LEFT SEMI JOIN r ON l.k = r.k AND l.s = r.s

query nightly
SELECT /*+ {join}(r) */ l.* FROM l LEFT SEMI JOIN r ON l.k = r.k AND l.v < r.v

query nightly
SELECT /*+ {join}(r) */ l.* FROM l LEFT SEMI JOIN nothing r ON l.k = r.k

query
SELECT /*+ {join}(r) */ l.* FROM nothing l LEFT SEMI JOIN r ON l.k = r.k AND l.v < r.v

query
SELECT /*+ {join}(r) */ l.v FROM many l LEFT SEMI JOIN others r ON l.k = r.k AND l.s <> r.s

query nightly
SELECT /*+ {join}(r) */ l.* FROM l LEFT ANTI JOIN r ON l.k = r.k

query nightly
SELECT /*+ {join}(r) */ l.* FROM l LEFT ANTI JOIN r ON l.d = r.d

query
SELECT /*+ {join}(r) */ l.* FROM l LEFT ANTI JOIN r ON l.k = r.k AND l.s = r.s

query nightly
SELECT /*+ {join}(r) */ l.* FROM l LEFT ANTI JOIN r ON l.k = r.k AND l.v < r.v

query
SELECT /*+ {join}(r) */ l.* FROM l LEFT ANTI JOIN nothing r ON l.k = r.k

query nightly
SELECT /*+ {join}(r) */ l.* FROM nothing l LEFT ANTI JOIN r ON l.k = r.k AND l.v < r.v

query nightly
SELECT /*+ {join}(r) */ l.v FROM many l LEFT ANTI JOIN others r ON l.k = r.k AND l.s <> r.s

query
SELECT /*+ {join}(l) */ l.*, r.* FROM l JOIN r ON l.k = r.k

query
SELECT /*+ {join}(l) */ l.*, r.* FROM l JOIN r ON l.s = r.s

query nightly
SELECT /*+ {join}(l) */ l.*, r.* FROM l JOIN r ON l.d = r.d

query nightly
SELECT /*+ {join}(l) */ l.*, r.* FROM l JOIN r ON l.m = r.m

query nightly
SELECT /*+ {join}(l) */ l.*, r.* FROM l JOIN r ON l.t = r.t

query
SELECT /*+ {join}(l) */ l.*, r.* FROM l JOIN r ON l.k = r.k AND l.s = r.s

query nightly
SELECT /*+ {join}(l) */ l.*, r.* FROM l JOIN r ON l.p = r.p

query nightly
SELECT /*+ {join}(l) */ l.*, r.* FROM l JOIN r ON l.k = r.k AND l.v < r.v

query nightly
SELECT /*+ {join}(l) */ l.*, r.* FROM l JOIN r ON l.s = r.s AND (l.v + r.v) % 2 = 1

query
SELECT /*+ {join}(l) */ l.*, r.* FROM l JOIN r ON l.k <=> r.k

query nightly
SELECT /*+ {join}(l) */ l.*, r.* FROM l JOIN r ON l.k + 1 = r.k * 1 AND l.p

query nightly
SELECT /*+ {join}(l) */ l.*, r.* FROM l JOIN nothing r ON l.k = r.k

query nightly
SELECT /*+ {join}(l) */ l.k, r.v FROM nothing l JOIN r ON l.k = r.k AND l.v < r.v

query
SELECT /*+ {join}(l) */ count(*) FROM l JOIN r ON l.k = r.k

query
SELECT /*+ {join}(l) */ l.v, r.v FROM many l JOIN others r ON l.k = r.k AND l.s <> r.s

query nightly
SELECT /*+ {join}(l) */ l.*, r.* FROM l RIGHT JOIN r ON l.k = r.k

query nightly
SELECT /*+ {join}(l) */ l.*, r.* FROM l RIGHT JOIN r ON l.d = r.d

query
SELECT /*+ {join}(l) */ l.*, r.* FROM l RIGHT JOIN r ON l.k = r.k AND l.s = r.s

query nightly
SELECT /*+ {join}(l) */ l.*, r.* FROM l RIGHT JOIN r ON l.k = r.k AND l.v < r.v

query
SELECT /*+ {join}(l) */ l.*, r.* FROM l RIGHT JOIN nothing r ON l.k = r.k

query nightly
SELECT /*+ {join}(l) */ l.k, r.v FROM nothing l RIGHT JOIN r ON l.k = r.k AND l.v < r.v

query nightly
SELECT /*+ {join}(l) */ l.v, r.v FROM many l RIGHT JOIN others r ON l.k = r.k AND l.s <> r.s

query
SELECT l.* FROM l WHERE EXISTS (SELECT /*+ {join}(r) */ 1 FROM r WHERE r.k = l.k) OR l.v > 55

query
SELECT l.k, l.v, CASE WHEN EXISTS (SELECT /*+ {join}(r) */ 1 FROM r WHERE r.k = l.k AND r.v > l.v) THEN 'yes' ELSE 'no' END FROM l

query nightly
SELECT /*+ {join}(b) */ a.n, b.n FROM wide a JOIN wide b ON a.w = b.w

query
SELECT /*+ {join}(l) */ a.n, l.v FROM wide a LEFT JOIN l ON a.w = CAST(l.m AS DECIMAL(38,2))

query
SELECT /*+ {join}(r) */ l.k, l.w FROM twins l LEFT SEMI JOIN pairs r ON l.k = r.k AND l.w <> r.w

query nightly
SELECT /*+ {join}(r) */ l.k, l.w FROM twins l LEFT ANTI JOIN pairs r ON l.k = r.k AND l.w <> r.w

query
SELECT l.k, l.w FROM twins l WHERE l.w = 1 OR EXISTS (SELECT /*+ {join}(r) */ 1 FROM pairs r WHERE r.k = l.k AND r.w <> l.w)

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l JOIN r ON l.s = r.s

query
SELECT /*+ {join}(r) */ l.*, r.* FROM l JOIN r ON l.m = r.m

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l JOIN r ON l.t = r.t

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l JOIN r ON l.p = r.p

query
SELECT /*+ {join}(r) */ l.*, r.* FROM l JOIN r ON l.s = r.s AND (l.v + r.v) % 2 = 1

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l JOIN r ON l.k <=> r.k

query
SELECT /*+ {join}(r) */ l.*, r.* FROM l JOIN r ON l.k + 1 = r.k * 1 AND l.p

query nightly
SELECT /*+ {join}(r) */ count(*) FROM l JOIN r ON l.k = r.k

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l RIGHT JOIN r ON l.k = r.k

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l RIGHT JOIN r ON l.d = r.d

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l RIGHT JOIN r ON l.k = r.k AND l.s = r.s

query
SELECT /*+ {join}(r) */ l.*, r.* FROM l RIGHT JOIN r ON l.k = r.k AND l.v < r.v

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l RIGHT JOIN nothing r ON l.k = r.k

query
SELECT /*+ {join}(r) */ l.k, r.v FROM nothing l RIGHT JOIN r ON l.k = r.k AND l.v < r.v

query nightly
SELECT /*+ {join}(r) */ l.v, r.v FROM many l RIGHT JOIN others r ON l.k = r.k AND l.s <> r.s

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l FULL JOIN r ON l.k = r.k

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l FULL JOIN r ON l.d = r.d

query
SELECT /*+ {join}(r) */ l.*, r.* FROM l FULL JOIN r ON l.k = r.k AND l.s = r.s

query
SELECT /*+ {join}(r) */ l.*, r.* FROM l FULL JOIN r ON l.k = r.k AND l.v < r.v

query nightly
SELECT /*+ {join}(r) */ l.*, r.* FROM l FULL JOIN nothing r ON l.k = r.k

query nightly
SELECT /*+ {join}(r) */ l.k, r.v FROM nothing l FULL JOIN r ON l.k = r.k AND l.v < r.v

query
SELECT /*+ {join}(r) */ l.v, r.v FROM many l FULL JOIN others r ON l.k = r.k AND l.s <> r.s
