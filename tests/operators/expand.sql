-- Expand: ROLLUP, CUBE, GROUPING SETS, several DISTINCT aggregates.

table sales row_group(64)
SELECT i, i % 3 AS a, IF(i % 5 = 0, NULL, concat('s', CAST(i % 4 AS STRING))) AS b, CAST(i AS DECIMAL(12,2)) / 4 AS c, i % 7 AS d, CAST(i % 6 AS DOUBLE) / 2 AS f,
  CAST(i AS DECIMAL(38,0)) * 12345678901234567890 AS w, date_add(DATE'2024-01-01', i % 9) AS x, IF(i % 8 = 0, NULL, i % 2 = 0) AS p
FROM (SELECT explode(sequence(1, 300)) AS i)

table nothing
SELECT 1 AS a, 'x' AS b, 2 AS d LIMIT 0

query
SELECT a, b, count(*), sum(c), min(d) FROM sales GROUP BY ROLLUP (a, b)

query
SELECT a, b, p, count(*), sum(w), max(x) FROM sales GROUP BY CUBE (a, b, p)

query
SELECT a, b, d, sum(i), GROUPING_ID() FROM sales GROUP BY GROUPING SETS ((a, b), (d), (), (a, b, d))

query
SELECT a + 1, upper(b), count(b), avg(c) FROM sales GROUP BY ROLLUP (a + 1, upper(b))

query
SELECT x, f, w, p, count(*) FROM sales GROUP BY GROUPING SETS ((x), (f), (w), (p))

query nightly
SELECT a, a, sum(d) FROM sales WHERE d > 2 GROUP BY a, ROLLUP (b)

query
SELECT sum(n), count(*) FROM (SELECT a, b, count(*) AS n FROM sales GROUP BY CUBE (a, b) HAVING count(*) > 10)

query
SELECT a, b, count(*) FROM nothing GROUP BY ROLLUP (a, b)

query nightly
SELECT a, b, count(*) FROM nothing GROUP BY GROUPING SETS ((a, b))

query
SELECT count(DISTINCT a), count(DISTINCT b), count(DISTINCT d), count(*), sum(i) FROM sales

query
SELECT a, count(DISTINCT b), sum(DISTINCT d), avg(DISTINCT f), sum(c), max(x) FROM sales GROUP BY a

query nightly
SELECT b, count(DISTINCT a, d), count(DISTINCT d), sum(DISTINCT w), min(p) FROM sales GROUP BY b

query
SELECT a, count(DISTINCT b) FILTER (WHERE d > 2), count(DISTINCT d) FILTER (WHERE p), sum(c) FILTER (WHERE d < 4), count(*) FROM sales GROUP BY a

query nightly
SELECT count(DISTINCT b) FILTER (WHERE d > 100), sum(DISTINCT d) FILTER (WHERE p IS NULL) FROM sales

query
SELECT count(DISTINCT a), sum(DISTINCT d), count(DISTINCT b) FROM nothing

query nightly
SELECT a, count(DISTINCT d), count(DISTINCT b) FROM nothing GROUP BY a

query ansi_error(DIVIDE_BY_ZERO)
SELECT a, sum(i) FROM sales GROUP BY ROLLUP (a, 10 / (d - 3))

query
SELECT a, b, grouping(a), grouping(b), count(*), sum(c) FROM sales GROUP BY ROLLUP (a, b)

query
SELECT a, b, p, grouping(p), grouping(a) + grouping(b), GROUPING_ID(a, b, p), sum(w) FROM sales GROUP BY CUBE (a, b, p)

query nightly
SELECT a, b, d, grouping(a), grouping(b), grouping(d), count(*) FROM sales GROUP BY GROUPING SETS ((a, b), (d), (), (a, b, d)) HAVING grouping(a) = 0 OR count(*) > 40

query
SELECT b, grouping(b), count(DISTINCT d), rank() OVER (PARTITION BY grouping(b) ORDER BY sum(i)) FROM sales GROUP BY ROLLUP (b)

query nightly
SELECT a, grouping(a), count(*) FROM nothing GROUP BY GROUPING SETS ((a), (b), ())
