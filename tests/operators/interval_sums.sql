-- sum and avg of year-month and day-time intervals of any fields, in every phase of an aggregation.
-- CONFIG spark.sql.adaptive.enabled=true|false
-- CONFIG spark.sql.shuffle.partitions=3

table spans row_group(64)
SELECT i, k, IF(i % 9 = 0, NULL, make_ym_interval(0, m)) AS ym, IF(i % 8 = 0, NULL, CAST(make_ym_interval(0, m) AS INTERVAL YEAR)) AS y, CAST(make_ym_interval(0, m) AS INTERVAL MONTH) AS m,
  IF(i % 7 = 0, NULL, make_dt_interval(m, -m, i, i / 7)) AS dt, CAST(make_dt_interval(m, -m, i) AS INTERVAL DAY) AS d, CAST(make_dt_interval(m, -m, i) AS INTERVAL HOUR TO MINUTE) AS hm,
  IF(i % 6 = 0, NULL, CAST(make_dt_interval(0, 0, m, i / 3) AS INTERVAL SECOND)) AS s, CAST(make_dt_interval(m, i, m) AS INTERVAL DAY TO HOUR) AS dh, i % 5 > 1 AS p
FROM (SELECT i, IF(i % 13 = 0, NULL, i % 29) AS k, i * 7919 % 61 - 30 AS m FROM (SELECT explode(sequence(1, 300)) AS i))

table spans append
SELECT i, CAST(NULL AS INT) AS k, CAST(NULL AS INTERVAL YEAR TO MONTH) AS ym, CAST(NULL AS INTERVAL YEAR) AS y, INTERVAL '-1' MONTH AS m, CAST(INTERVAL '-0.000001' SECOND AS INTERVAL DAY TO SECOND) AS dt, CAST(NULL AS INTERVAL DAY) AS d, INTERVAL '-0:01' HOUR TO MINUTE AS hm,
  INTERVAL '0.000001' SECOND AS s, CAST(NULL AS INTERVAL DAY TO HOUR) AS dh, true AS p FROM (SELECT explode(sequence(301, 330)) AS i)

-- Halves are rounded away from zero.
table halves
SELECT * FROM VALUES (1, INTERVAL '1' MONTH, INTERVAL '0.000001' SECOND), (1, INTERVAL '0' MONTH, INTERVAL '0' SECOND), (2, INTERVAL '-1' MONTH, INTERVAL '-0.000001' SECOND), (2, INTERVAL '0' MONTH, INTERVAL '0' SECOND),
  (3, INTERVAL '1' MONTH, INTERVAL '0.000001' SECOND), (3, INTERVAL '0' MONTH, INTERVAL '0' SECOND), (3, INTERVAL '0' MONTH, INTERVAL '0' SECOND), (4, INTERVAL '-2' MONTH, INTERVAL '-0.000002' SECOND), (4, INTERVAL '0' MONTH, INTERVAL '0' SECOND), (4, INTERVAL '0' MONTH, INTERVAL '0' SECOND),
  (5, INTERVAL '3' MONTH, INTERVAL '0.000003' SECOND), (5, INTERVAL '2' MONTH, INTERVAL '0.000002' SECOND), (6, INTERVAL '-3' MONTH, INTERVAL '-0.000003' SECOND), (6, INTERVAL '-2' MONTH, INTERVAL '-0.000002' SECOND), (7, NULL, NULL), (8, INTERVAL '7' MONTH, INTERVAL '7' SECOND), (8, NULL, NULL),
  (9, INTERVAL '2147483647' MONTH, INTERVAL '9223372036854.775807' SECOND), (9, INTERVAL '-2147483648' MONTH, INTERVAL '-9223372036854.775808' SECOND) AS t(k, m, s)

table limits
SELECT * FROM VALUES (1, 1, INTERVAL '178956970-7' YEAR TO MONTH, INTERVAL '178956970' YEAR, INTERVAL '106751991 04:00:54.775807' DAY TO SECOND, INTERVAL '106751991' DAY),
  (2, 2, INTERVAL '-178956970-8' YEAR TO MONTH, INTERVAL '-178956970' YEAR, INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND, INTERVAL '-106751991' DAY),
  (1, 3, INTERVAL '0-0' YEAR TO MONTH, INTERVAL '-1' YEAR, INTERVAL '0' SECOND, INTERVAL '-1' DAY), (2, 4, INTERVAL '0-0' YEAR TO MONTH, INTERVAL '1' YEAR, INTERVAL '0' SECOND, INTERVAL '1' DAY),
  (3, 5, INTERVAL '1' MONTH, INTERVAL '1' YEAR, INTERVAL '0.000001' SECOND, INTERVAL '1' DAY), (4, 6, NULL, NULL, NULL, NULL) AS t(k, i, ym, y, dt, d)

query
SELECT sum(ym), sum(y), sum(m), sum(dt), sum(d), sum(hm), sum(s), sum(dh), avg(ym), avg(y), avg(m), avg(dt), avg(d), avg(hm), avg(s), avg(dh), count(*) FROM spans

query nightly
SELECT sum(dt), sum(d), sum(hm), sum(s), sum(dh), avg(dt), avg(d), avg(hm), avg(s), avg(dh) FROM spans

query nightly
SELECT k, sum(ym), sum(y), sum(m), sum(dt), sum(d), sum(hm), sum(s), avg(ym), avg(y), avg(m), avg(dt), avg(d), avg(hm), avg(s), min(ym), max(dt), count(*) FROM spans GROUP BY k

query nightly
SELECT i, sum(ym), avg(y), sum(dt), avg(s), avg(d) FROM spans GROUP BY i

query
SELECT k, sum(ym), avg(ym), try_sum(ym), try_avg(m), try_sum(y), try_sum(dt), try_avg(dt), try_sum(d), try_avg(s) FROM spans GROUP BY k

query nightly
SELECT sum(DISTINCT ym), avg(DISTINCT m), sum(DISTINCT d), avg(DISTINCT hm), sum(dt), avg(i) FROM spans

query nightly
SELECT k, sum(DISTINCT ym), avg(DISTINCT ym), count(DISTINCT y, d), sum(m) FROM spans GROUP BY k

query
SELECT p, sum(ym) FILTER (WHERE i > 100), avg(dt) FILTER (WHERE p AND i < 200), sum(DISTINCT d) FILTER (WHERE i % 2 = 0), avg(y) FILTER (WHERE i < 0), sum(hm) FILTER (WHERE i < 0) FROM spans GROUP BY p

query nightly
SELECT ym, sum(y), avg(dt) FROM spans GROUP BY ym HAVING sum(d) > INTERVAL '3' DAY OR avg(m) IS NULL

query
SELECT sum(ym), avg(ym), sum(dt), avg(dt), try_sum(y), try_avg(d) FROM spans WHERE i < 0

query nightly
SELECT k, sum(ym), avg(dt) FROM spans WHERE i < 0 GROUP BY k

query nightly
SELECT p, sum(dt + d) + INTERVAL '1' HOUR, -avg(ym), abs(avg(s)), sum(ym + INTERVAL '1' MONTH), avg(CAST(ym AS INTERVAL YEAR)), sum(INTERVAL '1' DAY), avg(INTERVAL '7' MONTH) FROM spans GROUP BY p

query nightly
SELECT p, sum(a), avg(b) FROM (SELECT p, k, sum(ym) AS a, avg(dt) AS b FROM spans GROUP BY p, k) GROUP BY p

query
SELECT k, sum(m), avg(m), sum(s), avg(s) FROM halves GROUP BY k

query nightly
SELECT k, sum(ym), avg(ym), sum(y), avg(y), sum(dt), avg(dt), sum(d), avg(d), try_sum(ym), try_avg(dt) FROM limits GROUP BY k

query nightly
SELECT sum(ym), avg(ym), sum(dt), avg(dt) FROM limits WHERE k < 3

query replay
SELECT try_sum(ym), try_avg(ym), try_sum(dt), try_avg(dt), try_sum(y), try_avg(d) FROM limits WHERE k <> 2

query nightly replay
SELECT k % 2 AS g, try_sum(ym), try_avg(ym), try_sum(dt), try_avg(dt), try_sum(y), try_avg(d) FROM limits GROUP BY k % 2

query nightly replay error(INTERVAL_ARITHMETIC_OVERFLOW|INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION)
SELECT sum(ym) FROM limits WHERE k <> 2

query nightly replay error(INTERVAL_ARITHMETIC_OVERFLOW|INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION)
SELECT i % 2 AS g, sum(dt) FROM limits WHERE i <> 3 GROUP BY i % 2

query replay error(INTERVAL_ARITHMETIC_OVERFLOW|INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION)
SELECT avg(y) FROM limits WHERE y > INTERVAL '0' YEAR

query nightly replay error(INTERVAL_ARITHMETIC_OVERFLOW|INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION)
SELECT i % 2 AS g, avg(d), avg(ym) FROM limits WHERE i <> 3 GROUP BY i % 2
