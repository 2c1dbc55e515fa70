-- The keys by which strings that have a collation are joined and compared.
-- CONFIG spark.sql.autoBroadcastJoinThreshold=10485760|-1

table names row_group(8)
SELECT id AS i, n COLLATE UTF8_LCASE AS lc, n COLLATE UNICODE_CI_AI AS ai, n FROM (SELECT id, element_at(array('Ana', 'ana', 'ANA ', 'Aña', 'aná', NULL, '', ' ', 'Ωmega', 'ωMEGA', 'ǅ', 'ǆ', 'a\u0301na', 'Zoë  '), CAST(1 + id % 14 AS INT)) AS n FROM range(33))

query since=4.0
SELECT x.i, y.i, x.lc, y.lc FROM names x JOIN names y ON x.lc = y.lc

query since=4.0
SELECT x.i, y.i, x.ai, y.ai FROM names x LEFT JOIN names y ON x.ai = y.ai AND y.i < 20

query since=4.0
SELECT x.i, y.i FROM names x FULL JOIN names y ON x.ai = y.ai AND x.lc = y.lc AND x.i % 5 = y.i % 5

query since=4.0
SELECT x.i FROM names x LEFT SEMI JOIN names y ON x.ai = y.n COLLATE UNICODE_CI_AI AND y.i > 25

query since=4.0
SELECT x.i, y.i FROM names x JOIN names y ON x.lc <=> y.lc AND x.ai = y.ai

query since=4.0
SELECT i, ai = 'ana', ai <> 'ANA', lc = upper(n) COLLATE UTF8_LCASE, ai >= 'AN' AND ai < 'anb', n COLLATE UNICODE < 'b' FROM names
