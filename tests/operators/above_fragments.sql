-- Operators of Spark above and between fragments: sort, limit, union, join, window.

table rows row_group(8)
SELECT i, i % 5 AS k, concat('s', CAST(i % 7 AS STRING)) AS s FROM (SELECT explode(sequence(1, 40)) AS i)

query
SELECT i + 1 AS j, s FROM rows WHERE k > 2 ORDER BY s, j LIMIT 5

query
SELECT k, count(*) AS n FROM rows GROUP BY k ORDER BY k DESC

query
SELECT s, max(s) AS last, sum(i) FROM rows GROUP BY s ORDER BY s

query
SELECT count(*) FROM (SELECT i FROM rows WHERE k = 1 LIMIT 3)

query
SELECT k, count(*) >= 0 FROM rows WHERE k = 2 GROUP BY k LIMIT 1

query
SELECT k, count(*), sum(i) FROM (SELECT k, i FROM rows WHERE i > 10 UNION ALL SELECT -k, i * 2 FROM rows WHERE i < 30) GROUP BY k

query
SELECT i FROM rows WHERE k = 1 UNION ALL SELECT i + 100 FROM rows WHERE k = 2

query
SELECT i FROM rows WHERE k = 1 UNION SELECT i - 1 FROM rows WHERE k = 2

query
SELECT a.s, count(*), sum(b.i) FROM (SELECT s, k FROM rows WHERE i > 20) a JOIN (SELECT k, max(i) AS i FROM rows GROUP BY k) b ON a.k = b.k GROUP BY a.s

query
SELECT i FROM rows WHERE k IN (SELECT k + 1 FROM rows WHERE s = 's1' AND i < 10)

query
SELECT k, n, sum(n) OVER (ORDER BY k) FROM (SELECT k, count(*) AS n FROM rows GROUP BY k)

query
SELECT j, count(*) FROM (SELECT explode(array(k, i)) AS j FROM rows WHERE i > 30) GROUP BY j
