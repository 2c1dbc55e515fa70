-- Limits and offsets; which rows they give is left open unless the input has an order.
-- LIMIT with OFFSET is in test_sorted_results.py: Spark cannot plan it without constant folding.
-- COVERS LocalLimit GlobalLimit CollectLimit
-- CONFIG spark.sql.adaptive.enabled=true|false

table rows row_group(7)
SELECT i, i % 5 AS k FROM (SELECT explode(sequence(1, 60)) AS i)

query
SELECT k FROM rows WHERE k = 2 LIMIT 3

query
SELECT k FROM rows WHERE k = 2 LIMIT 100

query
SELECT k FROM rows WHERE k = 2 OFFSET 9

query
SELECT count(*) FROM (SELECT i FROM rows LIMIT 13)

query
SELECT count(*) FROM (SELECT i FROM rows WHERE k = 1 LIMIT 3)

query
SELECT count(*) FROM (SELECT i FROM rows OFFSET 50)

query
SELECT count(*) FROM (SELECT k, count(*) FROM rows GROUP BY k LIMIT 3)

query
SELECT k, count(*) >= 0 FROM rows WHERE k = 2 GROUP BY k LIMIT 1

query
SELECT count(*) FROM rows WHERE i <= (SELECT 4 * k FROM rows WHERE k = 3 LIMIT 1)
