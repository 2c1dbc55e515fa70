-- Sums of short decimals, which the optimizer does on their digits.
-- COVERS MakeDecimal UnscaledValue

table short
SELECT CAST(x AS DECIMAL(7,2)) AS a, CAST(x AS DECIMAL(8,4)) AS m, g FROM VALUES (1.25, 1), (-3.5, 1), (NULL, 2), (9999.99, NULL) AS t(x, g)

query
SELECT sum(a), sum(m), avg(a), avg(m) FROM short

query
SELECT g, sum(a), avg(m) FROM short GROUP BY g

query
SELECT sum(a) FROM short WHERE g = 5
