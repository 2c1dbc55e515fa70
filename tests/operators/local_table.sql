-- Local tables: rows that stand in the query. In the first mode the optimizer answers all but what
-- it cannot compute on rows.

query
SELECT a + 1, s FROM VALUES (1, 'a'), (2, NULL), (NULL, 'c') AS t(a, s) GROUP BY a, s

query
SELECT s, count(*), sum(a) FROM VALUES (1, 'a'), (2, 'b'), (3, 'a'), (NULL, NULL) AS t(a, s) GROUP BY s

query
SELECT b, sh, i, l, f, d, m, w, p, x, ts, ntz, s, bin, count(*) FROM VALUES
  (1Y, 2S, 3, 4L, float(1.5), 2.5D, 1.25BD, 123456789012345678901.5BD, true, DATE'2020-02-29', TIMESTAMP'2020-02-29 12:00:00.123456', TIMESTAMP_NTZ'2020-02-29 12:00:00', 'é', X'00ff'),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) AS t(b, sh, i, l, f, d, m, w, p, x, ts, ntz, s, bin)
GROUP BY b, sh, i, l, f, d, m, w, p, x, ts, ntz, s, bin

query
SELECT count(*), min(a), max(s) FROM VALUES (array(1, 2), 1, 'x'), (NULL, 2, 'y') AS t(l, a, s) WHERE a > 0

query
SELECT sum(a) FROM (SELECT a FROM VALUES (1), (2), (3), (4), (5) AS t(a)) TABLESAMPLE (50 PERCENT) REPEATABLE (4)

query
SELECT 1 AS a, 'x' AS s UNION ALL SELECT 2, NULL UNION ALL SELECT max(a), min(s) FROM VALUES (1, 'a'), (3, 'c') AS t(a, s)

query
SELECT (SELECT max(a) FROM VALUES (1), (3) AS t(a)) + 1 AS a, named_struct('n', NULL) AS r

query only(legacy)
SELECT a FROM VALUES (1, 2), (3, 4) AS t(a, b) WHERE a > 1
