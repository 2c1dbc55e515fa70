-- Aggregates that the engine lacks: Spark's own code computes them, beside those of the engine, in Spark's phases.

-- CONFIG spark.broadhead.sparkExpressions.enabled=true
-- Spark's ObjectHashAggregate moves no rows: after so many keys it would sort the rest of them.
-- CONFIG spark.sql.objectHashAggregate.sortBased.fallbackThreshold=10000

table many row_group(64)
SELECT i, i % 7 AS few, i * 31 % 211 AS many, IF(i % 11 = 0, NULL, CAST(i * 37 % 1013 AS DOUBLE) / 8 - 50) AS d, CAST(i * 7919 % 1009 AS DECIMAL(12,2)) AS price, i * 53 % 401 AS n,
  IF(i % 13 = 0, NULL, concat('name ', i % 17)) AS s, date_add(DATE'2000-02-27', i % 97) AS day, timestamp_seconds(i * 7919) AS instant, i % 3 = 0 AS flag, array(i % 5, NULL) AS numbers
FROM (SELECT explode(sequence(1, 1500)) AS i)

table many append
SELECT i, 3 AS few, i % 150 AS many, CASE i % 4 WHEN 0 THEN double('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN double('-Infinity') ELSE 1e300 END AS d, CAST(NULL AS DECIMAL(12,2)) AS price,
  2147483647 - i % 3 AS n, 'Ünïcode 😀' AS s, CAST(NULL AS DATE) AS day, timestamp_micros(-i) AS instant, CAST(NULL AS BOOLEAN) AS flag, CAST(NULL AS ARRAY<INT>) AS numbers
FROM (SELECT explode(sequence(1, 400)) AS i)

-- EACH key=few|many|few,s|many,few
query
SELECT {key}, count(*), sum(i), histogram_numeric(n, 3), max(s) FROM many GROUP BY {key}

query
SELECT histogram_numeric(d, 5), histogram_numeric(price, 4), count(d), avg(price), min(s) FROM many WHERE d < 1000

query
SELECT few, histogram_numeric(d, 4), sum(n) FROM many GROUP BY few

query
SELECT many, histogram_numeric(day, 3), histogram_numeric(instant, 2), histogram_numeric(i, 1 + 1), count(flag) FROM many GROUP BY many

query
SELECT few, histogram_numeric(n, 3) FILTER (WHERE flag), sum(n) FILTER (WHERE NOT flag), histogram_numeric(n, 3) FILTER (WHERE n < 0) FROM many GROUP BY few

query since=4.0
SELECT few, hll_sketch_estimate(hll_sketch_agg(s)), hll_sketch_estimate(hll_sketch_agg(n, 8)), theta_sketch_estimate(theta_sketch_agg(i)), count(DISTINCT few) FROM many GROUP BY few

-- A union of sketches depends on their order, and a GPU gives groups in another.
query
SELECT hll_sketch_estimate(hll_union_agg(sketch)), sum(c) FROM (SELECT few, hll_sketch_agg(n) AS sketch, count(*) AS c FROM many GROUP BY few ORDER BY few)

query since=4.0
SELECT many, approx_top_k(s, 2), approx_top_k(n, 3, 50), sum(i) FROM many GROUP BY many

-- Lists and percentiles, which the engine computes in one phase, stay in Spark's phases beside those that need them.
query
SELECT few, collect_list(i), histogram_numeric(n, 3), count(*) FROM many GROUP BY few

query
SELECT many, median(n), percentile(price, array(0.1, 0.9)), percentile_approx(n, 0.5), histogram_numeric(n, 3), size(collect_set(s)) FROM many GROUP BY many

query
SELECT few, histogram_numeric(n + 2147483000, 3), sum(i) FROM many WHERE n < 600 GROUP BY few

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT histogram_numeric(n + 2147483000, 3), sum(i) FROM many

query
SELECT few, histogram_numeric(IF(n < 600, n + 2147483000, 0), 3), sum(i) FROM many GROUP BY few

query
SELECT few, histogram_numeric(d, 3), sum(i), count(s) FROM many WHERE i < 0 GROUP BY few

query
SELECT histogram_numeric(d, 3), sum(i), count(s), hll_sketch_estimate(hll_sketch_agg(s)) FROM many WHERE i < 0

query
SELECT histogram_numeric(CAST(NULL AS INT), 3), histogram_numeric(1, 3), count(*) FROM many

-- In a window over its whole partition.
query
SELECT i, histogram_numeric(n, 3) OVER (PARTITION BY few), sum(n) OVER (PARTITION BY few), hll_sketch_estimate(hll_sketch_agg(s) OVER (PARTITION BY few)) FROM many

query
SELECT i, histogram_numeric(n, 3) OVER (PARTITION BY few ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM many WHERE i < 300

query fallback(aggregate function histogram_numeric is not supported)
SELECT i, histogram_numeric(n, 3) OVER (PARTITION BY few ORDER BY i) FROM many WHERE i < 300

-- Beside DISTINCTs, and with one of their own, the order of the groups below decides about some.
query
SELECT few, aggregate(histogram_numeric(n, 3), 0D, (sum, b) -> sum + b.y), count(DISTINCT s), count(DISTINCT i), sum(DISTINCT n) FROM many GROUP BY few

query
SELECT few, percentile_approx(n, 0.5), count(DISTINCT s), count(DISTINCT i) FROM many GROUP BY few

query
SELECT few, s, histogram_numeric(n, 3), grouping_id() FROM many GROUP BY ROLLUP (few, s)

query
SELECT few, aggregate(histogram_numeric(DISTINCT n, 3), 0D, (sum, b) -> sum + b.y), hll_sketch_estimate(hll_sketch_agg(DISTINCT s)), percentile_approx(DISTINCT n, 0.5), sum(i) FROM many GROUP BY few

query since=4.0
SELECT few, histogram_numeric(DISTINCT n, 1000), percentile_approx(DISTINCT n, 0.5), approx_top_k(s, 2), sum(DISTINCT i) FROM many GROUP BY few

-- EACH key=few|many
query
SELECT {key}, aggregate(histogram_numeric(n, 3), 0D, (sum, b) -> sum + b.y), count(DISTINCT s), sum(DISTINCT i) FROM many GROUP BY {key}

query
SELECT many, sort_array(collect_list(i)), percentile_approx(n, 0.5), median(d), count(DISTINCT s), sum(n) FROM many GROUP BY many

query
SELECT aggregate(histogram_numeric(n, 3), 0D, (sum, b) -> sum + b.y), sort_array(collect_list(s)), percentile_approx(n, 0.5), hll_sketch_estimate(hll_sketch_agg(i)) BETWEEN 1400 AND 1600, count(DISTINCT many) FROM many

query
SELECT few, histogram_numeric(n, 3), count(DISTINCT s) FROM many WHERE i < 0 GROUP BY few

-- The optimizer's column for several DISTINCTs has this name, and so has one of a user.
query
SELECT few, histogram_numeric(n, 3) FILTER (WHERE gid > 1), percentile_approx(n, 0.5) FILTER (WHERE gid = 1), sum(i) FROM (SELECT *, i % 3 AS gid FROM many) GROUP BY few

-- A subquery in its arguments, and values that differ from call to call.
query fallback(aggregate function histogram_numeric is not supported)
SELECT few, histogram_numeric(few + (SELECT max(few) FROM many), 3), sum(i) FROM many GROUP BY few

-- Keys that the engine compares by an encoding.
query
SELECT struct(many, s) AS key, histogram_numeric(n, 3), sum(i) FROM many GROUP BY struct(many, s)

query since=4.0
SELECT lower(s COLLATE UTF8_LCASE) AS key, percentile_approx(n, 0.5), histogram_numeric(n, 500), sum(i) FROM many GROUP BY s COLLATE UTF8_LCASE
