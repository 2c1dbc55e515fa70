-- Structs and arrays as keys of groups, joins, sorts, windows and shuffles.
-- CONFIG spark.sql.adaptive.enabled=true|false
-- CONFIG spark.sql.shuffle.partitions=7

table other row_group(9)
SELECT i + 20 AS j, r, a, words, deep, o FROM nested WHERE i <= 40

table odd
SELECT named_struct('d', d, 'l', array(d, NULL), 'f', named_struct('g', CAST(d AS FLOAT))) AS k, array(named_struct('d', d)) AS l, id FROM (SELECT explode(sequence(1, 24)) AS id), LATERAL (SELECT CASE id % 6 WHEN 0 THEN NULL WHEN 1 THEN double('NaN') WHEN 2 THEN -0.0D WHEN 3 THEN 0.0D ELSE id % 3 + 0.5D END AS d)

table two
SELECT x.i, x.r, y.r AS q FROM nested x JOIN nested y ON x.i = 61 - y.i

query
SELECT r, count(*), sum(i), max(i) FROM nested GROUP BY r

query nightly
SELECT a, words, count(*), avg(i) FROM nested GROUP BY a, words

query
SELECT deep, count(*) AS n FROM nested GROUP BY deep HAVING n > 0

query nightly
SELECT i % 2 AS p, o, count(i), min(i) FROM nested GROUP BY i % 2, o

query
SELECT count(DISTINCT r), count(DISTINCT o) FROM nested

query nightly
SELECT i % 3, count(DISTINCT a), count(DISTINCT deep, words), sum(i) FROM nested GROUP BY i % 3

query nightly
SELECT DISTINCT o, a FROM nested

query nightly
SELECT DISTINCT words FROM nested

query nightly
SELECT size(a), count(*) FROM nested GROUP BY a

query nightly
SELECT count(*) FROM nested GROUP BY o, r

query nightly
SELECT r, count(*) FROM nested WHERE i > 1000 GROUP BY r

query nightly fallback(of type map<int,string> is not supported) since=4.0
SELECT m, count(*) FROM nested GROUP BY m

query
SELECT k, count(*), min(id) FROM odd GROUP BY k

query nightly
SELECT l, count(DISTINCT k) FROM odd GROUP BY l

query nightly
SELECT a, count(*) FROM (SELECT a FROM nested UNION ALL SELECT a FROM other) GROUP BY a

query
SELECT /*+ BROADCAST(y) */ x.i, y.j, x.r FROM nested x JOIN other y ON x.r = y.r

query nightly
SELECT /*+ SHUFFLE_HASH(y) */ x.i, y.j, y.a FROM nested x JOIN other y ON x.a = y.a AND x.i < y.j

query
SELECT /*+ MERGE(y) */ x.i, y.j FROM nested x JOIN other y ON x.words = y.words AND x.o = y.o

query nightly
SELECT /*+ MERGE(y) */ x.i, y.j, y.deep FROM nested x LEFT JOIN other y ON x.deep = y.deep

query nightly
SELECT /*+ SHUFFLE_HASH(y) */ x.i, y.j FROM nested x RIGHT JOIN other y ON x.o = y.o AND x.i = y.j

query
SELECT /*+ MERGE(y) */ x.i, y.j FROM nested x FULL JOIN other y ON x.a = y.a AND x.i = y.j

query nightly
SELECT /*+ BROADCAST(y) */ i FROM nested x LEFT SEMI JOIN other y ON x.r = y.r AND x.a = y.a

query
SELECT /*+ MERGE(y) */ i FROM nested x LEFT ANTI JOIN other y ON x.o = y.o

query nightly
SELECT i FROM nested WHERE i < 5 OR EXISTS (SELECT 1 FROM other WHERE other.words = nested.words)

query
SELECT i FROM nested WHERE words NOT IN (SELECT words FROM other WHERE words IS NOT NULL AND size(words) < 3)

query nightly
SELECT /*+ MERGE(y) */ x.i, y.j FROM nested x JOIN other y ON x.a <=> y.a AND x.i = y.j

query
SELECT /*+ SHUFFLE_HASH(y) */ x.i, y.j FROM nested x JOIN other y ON x.o <=> y.o

query nightly
SELECT /*+ BROADCAST(y) */ x.i, y.j FROM nested x LEFT JOIN other y ON x.r <=> y.r AND x.i = y.j

query nightly
SELECT /*+ MERGE(y) */ x.id, y.id FROM odd x JOIN odd y ON x.k = y.k AND x.l = y.l

query nightly
SELECT /*+ BROADCAST(y) */ x.id, y.id FROM odd x JOIN odd y ON x.l <=> y.l

-- One side of these shuffles is Spark's own.
query spark(Project)
SELECT /*+ SHUFFLE_HASH(y) */ x.i, y.b FROM nested x JOIN (SELECT array(1, CAST(id AS INT)) AS a, id AS b FROM range(9)) y ON x.a = y.a

query nightly spark(Project)
SELECT /*+ MERGE(y) */ x.i, y.b FROM nested x FULL JOIN (SELECT named_struct('n', nullif(CAST(id % 3 AS INT), 1), 's', nullif('a', shuffle(array(CAST(id AS STRING)))[0]), 'd', nullif(id % 2 * 1.5D, 5D)) AS o, id AS b FROM range(9) WHERE id > 0) y ON x.r = y.o

query
SELECT * FROM nested ORDER BY r, i

query nightly
SELECT i, a FROM nested ORDER BY a DESC, i

query nightly
SELECT i FROM nested ORDER BY words DESC NULLS FIRST, o NULLS LAST, i

query nightly
SELECT deep, i FROM nested ORDER BY deep, i DESC

query nightly
SELECT i, o FROM nested SORT BY o DESC, i

query
SELECT i FROM nested ORDER BY o, i LIMIT 9

query nightly
SELECT id FROM odd ORDER BY k, l DESC, id

query nightly
SELECT i, row_number() OVER (PARTITION BY a ORDER BY i), sum(i) OVER (PARTITION BY a ORDER BY r, i), rank() OVER (PARTITION BY i % 2 ORDER BY o DESC) FROM nested

query
SELECT i, dense_rank() OVER (ORDER BY words, r), lag(i) OVER (PARTITION BY deep, r ORDER BY i) FROM nested

query nightly
SELECT i FROM (SELECT i, rank() OVER (PARTITION BY words ORDER BY a) AS n FROM nested) WHERE n < 3

query nightly
SELECT id, count(*) OVER (PARTITION BY k) FROM odd

query nightly
SELECT /*+ REPARTITION(7, r, a) */ i FROM nested

query
SELECT /*+ REPARTITION_BY_RANGE(3, o, i) */ i FROM nested

-- Spark makes the floats of the key alike; the key itself takes a struct apart.
query nightly
SELECT x.i, y.j FROM two x JOIN other y ON IF(x.r.n > 0, x.q, x.r) = y.r

query nightly
SELECT /*+ SHUFFLE_HASH(y) */ x.i, y.j FROM two x JOIN other y ON coalesce(x.q, IF(x.r.n > 0, x.r, x.q)) = y.r

-- fields with equal names
query
SELECT count(*), min(i), max(y.a) FROM two JOIN nested y USING (i) GROUP BY struct(two.r, y.r)

query nightly
SELECT i, row_number() OVER (PARTITION BY named_struct('a', p, 'a', named_struct('b', r, 'b', o)) ORDER BY i) FROM (SELECT i % 5 AS p, i, r, o FROM nested)

query nightly
SELECT /*+ MERGE(y) */ x.i, y.i FROM (SELECT i, named_struct('a', i % 7, 'a', o) AS s FROM nested) x JOIN (SELECT i, named_struct('a', i % 7, 'a', o) AS s FROM nested WHERE i < 30) y ON x.s = y.s

query
SELECT i, o FROM nested ORDER BY named_struct('a', o, 'a', named_struct('b', -i, 'b', i))
