-- One key of a number with nulls: which of several rows Spark takes depends on its sorter, so these queries tell whether it is one of them.

table rows
SELECT i, IF(i % 13 = 5, NULL, i % 7) AS few, IF(i % 11 = 3, NULL, CAST(i * 31 % 211 AS SMALLINT)) AS many, IF(i % 17 IN (2, 3), NULL, i % 9 = 0) AS flag,
  CASE i % 10 WHEN 0 THEN NULL WHEN 1 THEN double('NaN') WHEN 2 THEN -0.0D WHEN 3 THEN 0.0D ELSE i % 30 / 4 END AS d, IF(i % 19 = 1, NULL, CAST(i % 23 AS DECIMAL(18,3))) AS price,
  IF(i % 6 = 2, NULL, date_add(DATE'1969-12-28', i % 12)) AS day, IF(i % 21 = 9, NULL, timestamp_seconds(i % 40 - 20)) AS instant,
  IF(i % 13 = 7, NULL, concat('k', i % 9)) AS name, concat('ä', i) AS s
FROM (SELECT explode(sequence(1, 1200)) AS i)

-- EACH key=few|many|flag|d|price|day|instant|name
query
SELECT groups.{key}, n, count(*) FROM (SELECT {key}, first(s) AS f, last(s) AS l, count(*) AS n FROM rows GROUP BY {key}) AS groups
JOIN rows ON groups.{key} <=> rows.{key} AND s IN (f, l) GROUP BY groups.{key}, n

query
SELECT groups.many, count(*) FROM (SELECT many, max_by(s, i % 2) AS s, max(i % 2) AS m FROM rows GROUP BY many) AS groups
JOIN rows ON groups.many <=> rows.many AND groups.s = rows.s AND i % 2 = m GROUP BY groups.many

-- EACH key=few|many|d|price|day|instant|name
query
SELECT {key}, count(DISTINCT n), min(n), max(n) FROM (SELECT {key}, row_number() OVER (ORDER BY {key} DESC NULLS LAST) AS n FROM rows) GROUP BY {key}

-- Without nulls the rows of a task keep their order.
-- EACH key=few|many|d|price|name
query
SELECT {key}, first(s), last(s), count(*) FROM (SELECT * FROM rows WHERE {key} IS NOT NULL DISTRIBUTE BY 1 SORT BY flag, i % 4 DESC, i) GROUP BY {key}
