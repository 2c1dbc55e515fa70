-- ObjectHashAggregate: taken by Spark where a buffer is an object. The aggregates that the engine has
-- never need one, so the operator stays with Spark together with the function that asked for it.

table rows
SELECT i, i % 3 AS k FROM (SELECT explode(sequence(1, 20)) AS i)

query fallback(collect_list)
SELECT k, count(*), sum(i), size(collect_list(i)) FROM rows GROUP BY k

query fallback(collect_set)
SELECT size(collect_set(k)), max(i) FROM rows

query fallback(percentile)
SELECT k, percentile(i, 0.5), sum(i) FROM rows GROUP BY k
