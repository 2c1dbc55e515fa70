-- Filters over every type, in the order of their parts.

table rows row_group(5)
SELECT i, IF(i % 4 = 0, NULL, i % 3) AS a, IF(i % 5 = 0, NULL, CAST(i AS DOUBLE) / 2) AS d, concat('s', CAST(i % 6 AS STRING)) AS s, i % 2 = 0 AS p
FROM (SELECT explode(sequence(1, 24)) AS i)

query
SELECT * FROM rows WHERE p

query
SELECT * FROM rows WHERE NOT p OR a IS NULL

query
SELECT i FROM rows WHERE a = 1 AND d > 3 AND s <> 's4' AND p

query
SELECT i FROM rows WHERE a = 1 OR d > 10 OR s = 's4'

query
SELECT i FROM rows WHERE (a = 1 OR d > 10) AND (s = 's4' OR p)

query
SELECT i FROM rows WHERE a <> 0 AND 12 / a > 6

query
SELECT i FROM rows WHERE a <> 0 AND 12 div a > 6 AND 12 % a = 0

query
SELECT i FROM rows WHERE CASE WHEN a = 0 THEN false ELSE 10 / a > 5 END

query
SELECT i FROM rows WHERE IF(a > 0, 10 / a, 0) > 5

query
SELECT i FROM rows WHERE coalesce(a, 1 / i) > 0.5

query
SELECT i FROM rows WHERE a = 0 OR 10 / a > 5

query ansi_error(DIVIDE_BY_ZERO)
SELECT i FROM rows WHERE 10 / a > 5

query ansi_error(REMAINDER_BY_ZERO|DIVIDE_BY_ZERO)
SELECT i FROM rows WHERE i > 0 AND 10 % a = 1

query
SELECT i FROM rows WHERE i > 100 AND 10 % a = 1

query
SELECT i FROM rows WHERE CAST(NULL AS BOOLEAN) AND i > 3 OR i = 4

query
SELECT i FROM rows WHERE CAST(NULL AS BOOLEAN) OR i = 3

query
SELECT i FROM rows WHERE a IN (0, 2) AND d NOT IN (1.0D, 2.0D)

query
SELECT i FROM rows WHERE a <=> NULL

query
SELECT i FROM rows WHERE NOT (a <=> NULL) AND i BETWEEN 3 AND 9

query
SELECT i FROM rows WHERE i > (SELECT avg(i) FROM rows)

query
SELECT i FROM rows WHERE d = (SELECT max(d) FROM rows WHERE p) OR s = (SELECT min(s) FROM rows)

query
SELECT i FROM rows WHERE i > (SELECT max(i) FROM rows WHERE i > 100)

-- Spark computes both subqueries in one, which it gives as a struct.
query
SELECT i, (SELECT count(*) FROM rows) AS n, i * (SELECT min(d) FROM rows) FROM rows WHERE i < 4

query
SELECT s FROM (SELECT s, i + 1 AS j FROM rows WHERE p) WHERE j > 5 AND s LIKE 's%'

query
SELECT b, st, bin, x, t, n FROM everything WHERE st >= 'a' OR bin > X'00' OR x < DATE'1970-01-01' OR t > TIMESTAMP'2021-01-01 00:00:00Z'

query
SELECT i FROM everything WHERE f = f AND d <=> d AND a <> w

query
SELECT i FROM empty WHERE i > 0

query fallback(function rand)
SELECT i FROM rows WHERE i > rand(1) * 0
