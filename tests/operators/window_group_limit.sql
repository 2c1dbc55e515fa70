-- WindowGroupLimit: the first rows of each partition, before and after the exchange.

table sales row_group(16)
SELECT i, i % 7 AS k, IF(i % 5 = 0, NULL, i % 4) AS o, IF(i % 3 = 0, NULL, i * 3 % 17) AS v, IF(i % 6 = 0, NULL, CAST(i % 9 AS STRING)) AS s, IF(i % 7 = 0, double('NaN'), CAST(i % 3 AS DOUBLE)) AS d
FROM (SELECT explode(sequence(1, 200)) AS i)

query
SELECT * FROM (SELECT k, i, row_number() OVER (PARTITION BY k ORDER BY i) AS r FROM sales) WHERE r <= 3

query
SELECT * FROM (SELECT k, i, rank() OVER (PARTITION BY k ORDER BY v) AS r FROM sales) WHERE r <= 4

query
SELECT * FROM (SELECT k, i, dense_rank() OVER (PARTITION BY k ORDER BY v DESC) AS r FROM sales) WHERE r < 3

query
SELECT * FROM (SELECT i, v, rank() OVER (ORDER BY v NULLS LAST) AS r FROM sales) WHERE r <= 5

query
SELECT * FROM (SELECT i, v, dense_rank() OVER (ORDER BY v, o) AS r FROM sales) WHERE r = 2

query
SELECT * FROM (SELECT s, i, row_number() OVER (PARTITION BY s, o ORDER BY i DESC) AS r FROM sales) WHERE r = 1

query
SELECT k, count(*) FROM (SELECT k, d, rank() OVER (PARTITION BY d ORDER BY k) AS r FROM sales) WHERE r <= 2 GROUP BY k

query
SELECT * FROM (SELECT d, i, row_number() OVER (PARTITION BY d ORDER BY i) AS r, sum(v) OVER (PARTITION BY k ORDER BY i) AS t FROM sales) WHERE r <= 2
