-- ObjectHashAggregate: taken by Spark where a buffer is an object. The engine makes one phase of its two,
-- after a shuffle of the rows.

table rows
SELECT i, i % 3 AS k, IF(i % 5 = 0, NULL, i * 7 % 4) AS v FROM (SELECT explode(sequence(1, 20)) AS i)

query
SELECT k, count(*), sum(i), size(collect_list(i)), percentile(i + v, 0.5) FROM rows GROUP BY k

query
SELECT size(collect_set(k)), max(i), percentile(i, 0.25) FILTER (WHERE v > 1) FROM rows

query fallback(aggregate function histogram_numeric is not supported)
SELECT k, size(histogram_numeric(i, 2)), sum(i) FROM rows GROUP BY k

-- Beside a distinct aggregate the others have a phase that merges buffers.
-- Without Spark's own code (spark_aggregates.sql) they stay with Spark.
query fallback(collect_list is not supported in several phases)
SELECT k, collect_list(i), count(DISTINCT v) FROM rows GROUP BY k
