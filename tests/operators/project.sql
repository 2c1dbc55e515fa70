-- Projections: columns by position, equal subexpressions, literals, renamed and repeated columns.

table rows row_group(4)
SELECT i, IF(i % 4 = 0, NULL, i % 3) AS a, concat('s', CAST(i AS STRING)) AS s, array(i) AS list, named_struct('x', i) AS record
FROM (SELECT explode(sequence(1, 11)) AS i)

query
SELECT i, i, i AS j, a, s FROM rows

query
SELECT i * 2 + 1, i * 2 + 1 AS again, (i * 2 + 1) * 3, -(i * 2) FROM rows

query
SELECT 1, 'text', true, 1.5, DATE'2020-01-01', X'00' FROM rows WHERE i < 4

query
SELECT CAST(NULL AS INT), CAST(NULL AS STRING), i FROM rows

query
SELECT list, i + 1, record FROM rows

query
SELECT x + 1, concat(y, '!') FROM (SELECT i * 2 AS x, lower(s) AS y FROM rows WHERE a > 0)

query
SELECT CASE WHEN a = 0 THEN 0 ELSE 10 div a END, CASE WHEN a <> 0 THEN 10 % a END, IF(a = 0, NULL, 10 / a), 10 / nullif(a, 0) FROM rows

query ansi_error(DIVIDE_BY_ZERO)
SELECT CASE WHEN a = 1 THEN 0 ELSE 10 div a END FROM rows

query
SELECT CASE a WHEN 0 THEN 'zero' WHEN 1 THEN 'one' END, CASE WHEN CAST(NULL AS BOOLEAN) THEN 1 WHEN i > 3 THEN 2 END FROM rows

query
SELECT CASE WHEN i > 3 THEN CASE WHEN a <> 0 THEN 10 div a ELSE -1 END ELSE coalesce(a, 5 div (i - 11), 7) END FROM rows

query
SELECT a IS NULL OR 10 div (a + 1) > 2, a IS NOT NULL AND 10 div (a + 1) > 2 FROM rows

query
SELECT 2147483647 - i + 1, CAST(i AS TINYINT) + 100Y FROM rows

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT 2147483647 + i FROM rows

query fallback(column NULL of type void)
SELECT NULL, i FROM rows

query fallback(function array)
SELECT array(i), i FROM rows

query
SELECT i + 1, s FROM empty
