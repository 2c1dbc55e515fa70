-- Sorts of every type, globally and within partitions.
-- CONFIG spark.sql.adaptive.enabled=true|false

table rows row_group(7)
SELECT i, IF(i % 7 = 0, NULL, i % 5) AS k, IF(i % 6 = 0, NULL, concat('s', CAST(i % 11 AS STRING))) AS s, CASE i % 9 WHEN 0 THEN NULL WHEN 1 THEN double('NaN') WHEN 2 THEN -0.0D WHEN 3 THEN 0.0D WHEN 4 THEN double('-Infinity') ELSE i / 3 END AS d FROM (SELECT explode(sequence(1, 60)) AS i)

query
SELECT * FROM rows ORDER BY k, i

query
SELECT * FROM rows ORDER BY k DESC NULLS FIRST, s NULLS LAST, i DESC

query
SELECT * FROM rows ORDER BY d, i

query
SELECT * FROM rows ORDER BY d DESC NULLS LAST, s DESC, i

query
SELECT i FROM rows ORDER BY -i % 4, s || 'x', i

query
SELECT i, s FROM rows SORT BY s, i DESC

query
SELECT g, b, s, i, l, f, d FROM everything ORDER BY g, b, s, i, l, f, d

query
SELECT a, w, p, st, bin, x, t, n FROM everything ORDER BY w DESC, a, p, st DESC, bin, x, t DESC, n

query
SELECT k, count(*) AS n, sum(i) FROM rows GROUP BY k ORDER BY n DESC, k

query
SELECT k, s FROM (SELECT k, s FROM rows ORDER BY i) WHERE k > 1 SORT BY k, s

query
SELECT * FROM rows WHERE i > 1000 SORT BY s, i

query
SELECT i FROM rows ORDER BY struct(k, i)

query fallback(function array is not supported)
SELECT i FROM rows ORDER BY array(s), i
