-- Strings that have a collation: as keys of groups, joins, sorts, windows and shuffles, compared, and handed on.
-- CONFIG spark.sql.adaptive.enabled=true|false
-- CONFIG spark.sql.shuffle.partitions=7

table words row_group(17)
SELECT i, i % 4 AS p, w COLLATE UTF8_LCASE AS lc, w COLLATE UNICODE AS u, w COLLATE UNICODE_CI AS ci, w COLLATE de_CI_AI AS de, w FROM (SELECT explode(sequence(1, 90)) AS i), LATERAL (SELECT CASE WHEN i % 11 = 0 THEN NULL ELSE element_at(array('a', 'A', 'b', 'B', 'straße', 'STRASSE', 'Strasse', 'é', 'e', 'É', 'E', '', ' ', 'résumé', 'RESUME', 'i', 'İ', 'I', 'ı', 'zoë', 'Zoe', 'Å', 'aa', 'ä', 'Ä', '日本', 'ＡＢＣ', 'abc', 'a-b', 'a b'), 1 + (i * 7) % 30) END AS w)

table lower_words row_group(9)
SELECT i, w COLLATE UTF8_LCASE AS lc, w COLLATE UNICODE_CI AS ci, w COLLATE UNICODE AS u, w FROM (SELECT explode(sequence(1, 40)) AS i), LATERAL (SELECT CASE WHEN i % 9 = 0 THEN NULL ELSE element_at(array('a', 'b', 'straße', 'é', 'e', '', 'zoë', 'å', 'abc', 'a-b', 'a b', '日本'), 1 + i % 12) END AS w)

query since=4.0
SELECT * FROM words

query nightly since=4.0
SELECT lc, u, ci, count(*), sum(i), max(i) FROM lower_words GROUP BY lc, u, ci

query since=4.0
SELECT count(*), sum(i), min(i) FROM words GROUP BY lc

query nightly since=4.0
SELECT count(*), sum(i), min(i) FROM words GROUP BY ci, p

query nightly since=4.0
SELECT count(*), sum(i), min(i) FROM words GROUP BY de

query since=4.0
SELECT u, count(*), sum(i) FROM words GROUP BY u

query nightly since=4.0
SELECT count(DISTINCT lc), count(DISTINCT ci), count(DISTINCT u), count(DISTINCT de), count(lc) FROM words

query since=4.0
SELECT p, count(DISTINCT ci), count(DISTINCT lc) FROM words GROUP BY p

query nightly since=4.0
SELECT DISTINCT ci FROM lower_words

query nightly since=4.0
SELECT ci, i FROM words ORDER BY ci, i

query nightly since=4.0
SELECT lc, u, i FROM words ORDER BY lc DESC NULLS LAST, u, i

query nightly since=4.0
SELECT de, u, i FROM words ORDER BY de, u DESC, i

query since=4.0
SELECT w, i FROM words ORDER BY w COLLATE UNICODE_CI DESC, w COLLATE UNICODE, i LIMIT 20

query nightly since=4.0
SELECT u, i FROM words ORDER BY u, i LIMIT 7

query since=4.0
SELECT /*+ BROADCAST(y) */ x.i, y.i, x.lc, y.lc FROM words x JOIN lower_words y ON x.lc = y.lc

query nightly since=4.0
SELECT /*+ MERGE(y) */ x.i, y.i, x.ci FROM words x LEFT JOIN lower_words y ON x.ci = y.ci AND x.i > y.i

query since=4.0
SELECT /*+ SHUFFLE_HASH(y) */ x.i, y.i, y.u FROM words x FULL JOIN lower_words y ON x.u = y.u

query nightly since=4.0
SELECT /*+ SHUFFLE_HASH(y) */ x.i, y.i FROM words x JOIN lower_words y ON x.ci <=> y.ci

query nightly since=4.0
SELECT i, ci FROM words WHERE ci IN (SELECT ci FROM lower_words WHERE i < 5)

query since=4.0
SELECT x.i, y.i FROM words x JOIN lower_words y ON x.ci < y.ci AND x.p = 1

query nightly since=4.0
SELECT i, lc = 'A', ci = 'RESUME', de = 'resume', u = 'a', lc < 'B', ci >= 'Zoe', de > 'STRASSE', u <= 'b', lc <=> NULL FROM words

query nightly since=4.0
SELECT i FROM words WHERE ci = 'strasse'

query since=4.0
SELECT i FROM words WHERE lc IN ('A', 'STRASSE', 'İ', NULL)

query nightly since=4.0
SELECT i, ci IN ('A', 'strasse', 'E', 'resume', 'I', 'ZOE', 'aa', 'abc', 'x', 'y', 'z') FROM words

query nightly since=4.0
SELECT i, lc, row_number() OVER (PARTITION BY lc ORDER BY i), sum(i) OVER (PARTITION BY ci ORDER BY i) FROM words

query since=4.0
SELECT i, rank() OVER (ORDER BY lc), dense_rank() OVER (PARTITION BY p ORDER BY ci DESC), count(*) OVER (ORDER BY de RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), lag(ci) OVER (ORDER BY i), first(lc) OVER (PARTITION BY p ORDER BY i) FROM words

query nightly since=4.0
SELECT * FROM (SELECT i, p, rank() OVER (PARTITION BY ci ORDER BY lc, i) AS r FROM words) WHERE r <= 2

query since=4.0
SELECT i, coalesce(ci, 'none'), if(i > 3, lc, NULL), CASE WHEN i % 2 = 0 THEN u END, isnull(ci), CAST(ci AS STRING), w COLLATE UNICODE_AI FROM words

query nightly since=4.0
SELECT ci, count(*) FROM (SELECT ci FROM lower_words UNION ALL SELECT w COLLATE UNICODE_CI FROM lower_words) GROUP BY ci

query nightly since=4.0
SELECT count(*), sum(i) FROM words GROUP BY CUBE (lc, p)

query since=4.0
SELECT count(*), sum(i) FROM words GROUP BY named_struct('c', ci, 'p', p)

query nightly since=4.0
SELECT i FROM words ORDER BY named_struct('p', p, 'c', named_struct('d', lc)), i

query nightly since=4.0
SELECT named_struct('c', ci, 'l', lc) AS s, count(*) FROM lower_words GROUP BY named_struct('c', ci, 'l', lc)

query nightly since=4.0
SELECT first(lc), last(ci), count(u) FROM words WHERE i = 3

query since=4.0
SELECT /*+ REPARTITION(5, ci) */ i, ci FROM words

query nightly since=4.0
SELECT /*+ REPARTITION_BY_RANGE(5, lc) */ i, lc FROM words

query nightly since=4.0
SELECT lc, count(*) FROM words WHERE i > 1000 GROUP BY lc

query since=4.0
SELECT explode(array(lc, w COLLATE UTF8_LCASE)) AS e, i FROM words

query nightly fallback(max is not supported for arguments of type (string collate UNICODE_CI)) since=4.0
SELECT max(ci) FROM words

query fallback(upper is not supported for arguments of type (string collate UTF8_LCASE)) since=4.0
SELECT upper(lc) FROM words

query nightly fallback(hash is not supported for arguments of type (string collate UTF8_LCASE)) since=4.0
SELECT hash(lc) FROM words
