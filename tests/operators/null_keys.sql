-- One key of a number with nulls: Spark's radix sort moves rows with equal keys where a null comes, and with them the first row of a group.

-- CONFIG spark.broadhead.sparkExpressions.enabled=true

table rows
SELECT i, IF(i % 13 = 5, NULL, i % 7) AS few, IF(i % 11 = 3, NULL, CAST(i * 31 % 211 AS SMALLINT)) AS many, IF(i % 17 IN (2, 3), NULL, i % 9 = 0) AS flag,
  CASE i % 10 WHEN 0 THEN NULL WHEN 1 THEN double('NaN') WHEN 2 THEN -0.0D WHEN 3 THEN 0.0D ELSE i % 30 / 4 END AS d, IF(i % 19 = 1, NULL, CAST(i % 23 AS DECIMAL(18,3))) AS price,
  IF(i % 8 = 4, NULL, CAST(i % 23 AS DECIMAL(19,3))) AS wide, IF(i % 6 = 2, NULL, date_add(DATE'1969-12-28', i % 12)) AS day, IF(i % 21 = 9, NULL, timestamp_seconds(i % 40 - 20)) AS instant,
  IF(i % 13 = 7, NULL, concat('k', i % 9)) AS name, concat('ä', i) AS s, IF(i % 5 = 0, NULL, named_struct('n', i)) AS pair
FROM (SELECT explode(sequence(1, 1200)) AS i)

-- EACH key=few|many|flag|d|price|wide|day|instant|name|few,flag
query
SELECT {key}, first(s), last(s), count(*) FROM rows GROUP BY {key}

query
SELECT few, first(pair), last(pair, true), any_value(s) FROM rows GROUP BY few

query
SELECT many, max_by(s, i % 2), min_by(s, i % 3), max(s) FROM rows GROUP BY many

query
SELECT few + 1, first(s) FILTER (WHERE i > 20) FROM rows GROUP BY few + 1

query
SELECT few, first(s) FROM rows WHERE few IS NULL OR i < 30 GROUP BY few

query
SELECT first(few), few % 2, first(s) FROM rows GROUP BY few % 2

-- The sorts of windows and of the user.
-- EACH key=few|many|d|price|day|instant|name|many DESC NULLS LAST|d DESC|wide NULLS LAST
query
SELECT i, row_number() OVER (ORDER BY {key}) FROM rows

-- EACH key=few|many|d|name
query
SELECT i, first_value(s) OVER (PARTITION BY {key}), last_value(s) OVER (PARTITION BY {key}) FROM rows

query
SELECT s, first(i) FROM (SELECT * FROM rows DISTRIBUTE BY 1 SORT BY few) GROUP BY s

query
SELECT few % 2, first(i) FROM (SELECT * FROM rows DISTRIBUTE BY 1 SORT BY few DESC) GROUP BY few % 2

query
SELECT few, collect_list(s), sum(DISTINCT i % 3) FROM rows GROUP BY few

query
SELECT many, collect_list(s), sum(DISTINCT i % 3) FROM rows GROUP BY many

query
SELECT many, histogram_numeric(i, 3), collect_list(i) FROM rows GROUP BY many
