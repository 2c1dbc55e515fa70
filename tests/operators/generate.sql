-- Generate: explode, posexplode, inline and stack, their outer forms, every element type.

table bags row_group(3)
SELECT * FROM VALUES
  (1, array(1, NULL, 3), map('a', 1L, 'b', NULL), array(named_struct('x', 1, 'y', 'p'), NULL)),
  (2, array(), map(), array()),
  (3, NULL, NULL, NULL),
  (4, array(4), map('c', -5L), array(named_struct('x', NULL, 'y', 'q'))),
  (5, array(5, 6, 7, 8, 9), map('d', 1L, 'e', 2L, 'f', 3L), array(named_struct('x', 7, 'y', NULL), named_struct('x', 8, 'y', ''))) AS t(k, a, m, s)

table elements row_group(2)
SELECT i, array(CAST(i AS TINYINT), NULL) AS b, array(CAST(i AS DOUBLE) / 4, double('NaN')) AS d, array(CAST(i AS DECIMAL(9,2)) / 8, NULL) AS n,
  array(CAST(i AS DECIMAL(38,3)) * 12345678901234567890) AS w, array(date_add(DATE'2020-01-01', i), NULL) AS x,
  array(timestamp_seconds(i * 86399), NULL) AS t, array(CAST(timestamp_seconds(i) AS TIMESTAMP_NTZ)) AS z, array(concat('é', CAST(i AS STRING)), '', NULL) AS s,
  array(CAST(CAST(i AS STRING) AS BINARY), NULL) AS bin, array(i % 2 = 0, NULL) AS p, array(array(i, NULL), NULL, array()) AS l,
  array(named_struct('q', i, 'r', array(0.5, NULL))) AS r, map(i, array('u', NULL)) AS m
FROM (SELECT explode(sequence(1, 9)) AS i)

table flat
SELECT * FROM VALUES (1, 10L, 20L, 'x', 1.50BD), (2, NULL, 40L, NULL, 2.25BD), (3, 50L, NULL, 'z', NULL) AS t(k, a, b, s, n)

query
SELECT k, explode(a) FROM bags

query
SELECT k, explode_outer(a) FROM bags

query
SELECT posexplode(a), k FROM bags

query nightly
SELECT k, posexplode_outer(a) FROM bags

query
SELECT k, explode(m) FROM bags

query
SELECT k, explode_outer(m) FROM bags

query nightly
SELECT k, posexplode(m) FROM bags

query nightly
SELECT k, posexplode_outer(m) FROM bags

query
SELECT k, inline(s) FROM bags

query
SELECT k, inline_outer(s) FROM bags

query
SELECT k, e FROM bags LATERAL VIEW explode(a) t AS e WHERE e > 3

query
SELECT k, e, f FROM bags LATERAL VIEW OUTER explode(a) t AS e LATERAL VIEW OUTER posexplode(m) u AS p, q, f

query nightly
SELECT k, e, v FROM bags, LATERAL explode(a) AS t(e), LATERAL explode(m) AS u(n, v)

query
SELECT count(*) FROM (SELECT explode(a) FROM bags)

query nightly
SELECT sum(e), count(*), max(k) FROM (SELECT k, explode_outer(a) AS e FROM bags)

query
SELECT e % 3, count(*) FROM (SELECT explode(a) AS e FROM bags) GROUP BY e % 3

query
SELECT a, m, s, explode(a) FROM bags WHERE k <> 2

query
SELECT explode(b) FROM elements

query nightly
SELECT i, explode(d) FROM elements

query
SELECT col + 1, col * 2 FROM (SELECT explode(n) FROM elements)

query
SELECT sum(col) FROM (SELECT explode(w) FROM elements)

query
SELECT year(col), col FROM (SELECT explode(x) FROM elements)

query
SELECT col, CAST(col AS DATE) FROM (SELECT explode(t) FROM elements)

query nightly
SELECT explode(z) FROM elements

query
SELECT upper(col), count(*) FROM (SELECT explode(s) FROM elements) GROUP BY col

query nightly
SELECT explode(bin) FROM elements

query nightly
SELECT NOT col FROM (SELECT explode(p) FROM elements)

query nightly
SELECT i, explode(l) FROM elements

query nightly
SELECT explode(col) FROM (SELECT explode(l) FROM elements)

query
SELECT inline(r) FROM elements

query
SELECT key, e FROM elements LATERAL VIEW explode(m) t AS key, value LATERAL VIEW explode_outer(value) u AS e

query
SELECT k, stack(2, a, s, b) FROM flat

query
SELECT k, stack(3, 'a', a, 'b', b, 'none', NULL) AS (name, value) FROM flat

query
SELECT stack(1, n, s) FROM flat

query
SELECT k, explode(array(a, b, a + b)) FROM flat

query nightly
SELECT k, posexplode_outer(array(s, 'c')) FROM flat

query
SELECT k, inline(array(named_struct('v', a, 't', s), named_struct('v', b, 't', s))) FROM flat

query
SELECT k, explode(array(1, NULL, 3)) FROM flat

query
SELECT k, explode(map('a', a, 'b', b)) FROM flat

query nightly
SELECT k, posexplode_outer(map(1, s, 2, 'y')) FROM flat

query nightly fallback(map)
SELECT k, explode(map(k, s)) FROM flat

query error(DUPLICATED_MAP_KEY) fallback(map)
SELECT k, explode(map('a', a, 'a', b)) FROM flat

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT k, explode(array(a, a + 9223372036854775800)) FROM flat

query fallback(sequence)
SELECT explode(sequence(k, 3)) FROM flat

query fallback(getSentences)
SELECT explode(sentences(s)) FROM flat

query fallback(json_tuple)
SELECT k, json_tuple(s, 'a') FROM flat

query
SELECT a FROM flat EXCEPT ALL SELECT b FROM flat

query
SELECT k FROM flat INTERSECT ALL SELECT k + 1 FROM flat
