-- Year-month and day-time intervals of any fields: keys, literals, comparisons, sums, casts among them.
-- CONFIG spark.sql.adaptive.enabled=true|false
-- CONFIG spark.sql.shuffle.partitions=3

table l row_group(5)
SELECT * FROM VALUES
  (1, INTERVAL '-178956970-8' YEAR TO MONTH, INTERVAL '-1' YEAR, INTERVAL '-13' MONTH, INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND, INTERVAL '-1' DAY, INTERVAL '-25:59' HOUR TO MINUTE),
  (2, INTERVAL '178956970-7' YEAR TO MONTH, INTERVAL '2' YEAR, INTERVAL '14' MONTH, INTERVAL '106751991 04:00:54.775807' DAY TO SECOND, INTERVAL '2' DAY, INTERVAL '25:59' HOUR TO MINUTE),
  (3, INTERVAL '1-2' YEAR TO MONTH, INTERVAL '1' YEAR, INTERVAL '12' MONTH, INTERVAL '1 00:00:00.000001' DAY TO SECOND, INTERVAL '1' DAY, INTERVAL '24:00' HOUR TO MINUTE),
  (4, INTERVAL '0-11' YEAR TO MONTH, INTERVAL '0' YEAR, INTERVAL '11' MONTH, INTERVAL '0 23:59:59.999999' DAY TO SECOND, INTERVAL '0' DAY, INTERVAL '23:59' HOUR TO MINUTE),
  (5, INTERVAL '-0-11' YEAR TO MONTH, INTERVAL '0' YEAR, INTERVAL '-11' MONTH, INTERVAL '-1 23:59:59.999999' DAY TO SECOND, INTERVAL '-1' DAY, INTERVAL '-0:01' HOUR TO MINUTE),
  (6, NULL, NULL, NULL, NULL, NULL, NULL),
  (7, INTERVAL '1-2' YEAR TO MONTH, INTERVAL '1' YEAR, NULL, INTERVAL '1 00:00:00.000001' DAY TO SECOND, NULL, INTERVAL '24:00' HOUR TO MINUTE),
  (8, NULL, INTERVAL '1' YEAR, INTERVAL '12' MONTH, NULL, INTERVAL '1' DAY, NULL),
  (9, INTERVAL '0-0' YEAR TO MONTH, INTERVAL '0' YEAR, INTERVAL '0' MONTH, INTERVAL '0' SECOND, INTERVAL '0' DAY, INTERVAL '0:00' HOUR TO MINUTE),
  (10, INTERVAL '1-0' YEAR TO MONTH, INTERVAL '-178956970' YEAR, INTERVAL '2147483647' MONTH, INTERVAL '1' DAY, INTERVAL '106751991' DAY, INTERVAL '-2562047788:00' HOUR TO MINUTE),
  (11, INTERVAL '1-2' YEAR TO MONTH, INTERVAL '2' YEAR, INTERVAL '14' MONTH, INTERVAL '2' DAY, INTERVAL '2' DAY, INTERVAL '48:00' HOUR TO MINUTE) AS t(i, ym, y, m, dt, d, hm)

table r
SELECT * FROM VALUES
  (21, INTERVAL '1-2' YEAR TO MONTH, INTERVAL '1' YEAR, INTERVAL '1 00:00:00.000001' DAY TO SECOND, INTERVAL '1' DAY),
  (22, INTERVAL '178956970-7' YEAR TO MONTH, INTERVAL '2' YEAR, INTERVAL '106751991 04:00:54.775807' DAY TO SECOND, INTERVAL '-1' DAY),
  (23, INTERVAL '-178956970-8' YEAR TO MONTH, INTERVAL '0' YEAR, INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND, INTERVAL '0' DAY),
  (24, NULL, NULL, NULL, NULL),
  (25, INTERVAL '2-0' YEAR TO MONTH, INTERVAL '5' YEAR, INTERVAL '2' DAY, INTERVAL '5' DAY) AS t(j, ym, y, dt, d)

table lists
SELECT i, array(ym, NULL) AS yms, named_struct('d', d, 'dts', array(dt)) AS r, map(i, hm) AS hms FROM l

query
SELECT *, hash(ym), hash(y, m), hash(dt), hash(d, hm), hash(i, dt, ym) FROM l

query nightly
SELECT yms, r, hms, hash(yms, r), yms IS NULL, r IS NOT NULL FROM lists WHERE i > 1

-- Row groups that cannot match are not read.
query
SELECT i, ym, dt FROM l WHERE ym >= INTERVAL '1-2' YEAR TO MONTH AND dt < INTERVAL '2' DAY

query nightly
SELECT i FROM l WHERE d = INTERVAL '1' DAY OR y IN (INTERVAL '2' YEAR, INTERVAL '-1' YEAR) OR hm IS NULL OR dt BETWEEN INTERVAL '-1 23:59:59.999999' DAY TO SECOND AND INTERVAL '1' DAY AND ym <=> INTERVAL '0-11' YEAR TO MONTH

query nightly
SELECT i, m IN (INTERVAL '11' MONTH, NULL, INTERVAL '12' MONTH), m IN (INTERVAL '1' MONTH, INTERVAL '2' MONTH, INTERVAL '3' MONTH, INTERVAL '4' MONTH, INTERVAL '5' MONTH, INTERVAL '6' MONTH, INTERVAL '7' MONTH, INTERVAL '8' MONTH, INTERVAL '9' MONTH, INTERVAL '10' MONTH, INTERVAL '11' MONTH),
  d IN (INTERVAL '1' DAY, INTERVAL '2' DAY, INTERVAL '3' DAY, INTERVAL '4' DAY, INTERVAL '5' DAY, INTERVAL '6' DAY, INTERVAL '7' DAY, INTERVAL '8' DAY, INTERVAL '9' DAY, INTERVAL '10' DAY, NULL)
FROM l

query
SELECT i, ym = m, ym < y, m <=> y, dt = d, dt <= hm, d > hm, hm >= INTERVAL '1' DAY, dt IS NULL, coalesce(dt, d, INTERVAL '7' SECOND), if(i > 3, y, m), CASE WHEN i < 4 THEN d WHEN i < 7 THEN hm ELSE dt END,
  greatest(ym, y, m), least(ym, m), greatest(d, INTERVAL '1' DAY), least(dt, hm, d), nullif(d, INTERVAL '1' DAY), INTERVAL '1-2' YEAR TO MONTH, CAST(NULL AS INTERVAL DAY)
FROM l

-- What the last field of the target does not hold is cut off.
query nightly
SELECT i, CAST(ym AS INTERVAL YEAR), CAST(ym AS INTERVAL MONTH), CAST(m AS INTERVAL YEAR), CAST(y AS INTERVAL MONTH), CAST(dt AS INTERVAL DAY), CAST(dt AS INTERVAL HOUR), CAST(dt AS INTERVAL DAY TO MINUTE), CAST(dt AS INTERVAL MINUTE TO SECOND), CAST(hm AS INTERVAL DAY TO HOUR), CAST(d AS INTERVAL SECOND), TRY_CAST(hm AS INTERVAL DAY)
FROM l

query
SELECT i, a, b, n FROM l JOIN VALUES (INTERVAL '1' DAY, INTERVAL '1-1' YEAR TO MONTH, 1), (INTERVAL '-1' DAY, NULL, 2), (NULL, INTERVAL '-1' MONTH, 3), (INTERVAL '106751991' DAY, NULL, 4) AS t(a, b, n) ON d = a

query nightly
SELECT i, dt + d, hm - d, ym + INTERVAL '5' MONTH, y - m, -dt, abs(m), -d + INTERVAL '-1' HOUR FROM l WHERE i BETWEEN 3 AND 5

query error(INTERVAL_ARITHMETIC_OVERFLOW)
SELECT ym + m FROM l WHERE i < 3

query nightly error(INTERVAL_ARITHMETIC_OVERFLOW)
SELECT -ym FROM l

query
SELECT ym, y, count(*), count(ym), min(dt), max(dt), first(d), last(m, true), max(hm) FROM l GROUP BY ym, y

query nightly
SELECT d, count(*), count(DISTINCT hm), max(ym) FROM l GROUP BY d

query nightly
SELECT min(ym), max(ym), min(y), max(m), min(dt), max(dt), count(DISTINCT ym), count(DISTINCT dt, y), max(d) FILTER (WHERE i < 5), count(hm) FROM l

query nightly
SELECT y, sum(d) FROM l WHERE i < 6 GROUP BY y

query
SELECT yms, r, count(*) FROM lists GROUP BY yms, r

query nightly
SELECT dt, y FROM (SELECT dt, m AS y FROM l UNION ALL SELECT d, y FROM r) WHERE dt IS NULL OR dt < INTERVAL '2' DAY

query
SELECT ym, d FROM l EXCEPT SELECT ym, d FROM r

query nightly
SELECT /*+ BROADCAST(r) */ l.i, r.j, r.ym, l.dt FROM l JOIN r ON l.ym = r.ym

query nightly
SELECT /*+ BROADCAST(r) */ l.i, r.j FROM l LEFT JOIN r ON l.dt <=> r.dt AND l.d >= r.d

query
SELECT /*+ SHUFFLE_HASH(r) */ l.i, r.j, r.dt FROM l RIGHT JOIN r ON l.dt = r.dt AND l.y = r.y

query nightly
SELECT /*+ MERGE(r) */ l.i, r.j, l.y FROM l JOIN r ON l.y = r.y AND l.ym < r.ym

query
SELECT /*+ MERGE(r) */ l.i, r.j, l.ym, r.dt FROM l FULL JOIN r ON l.ym <=> r.ym AND l.dt = r.dt

-- One side is widened to the fields of the other.
query nightly
SELECT /*+ MERGE(r) */ l.i, r.j FROM l LEFT JOIN r ON l.hm = r.d

query nightly
SELECT /*+ BROADCAST(r) */ i FROM l LEFT SEMI JOIN r ON l.m = r.ym

query nightly
SELECT /*+ MERGE(r) */ i FROM l LEFT ANTI JOIN r ON l.d = r.d

query
SELECT i FROM l WHERE dt NOT IN (SELECT dt FROM r WHERE dt IS NOT NULL) OR y = (SELECT max(y) FROM r WHERE j < 23)

query nightly
SELECT l.i, r.j FROM l JOIN r ON l.ym < r.ym AND l.dt > r.dt

-- One side of this shuffle is Spark's own.
query spark(Project)
SELECT /*+ SHUFFLE_HASH(y) */ l.i, n FROM l JOIN (SELECT make_dt_interval(shuffle(array(CAST(id AS INT)))[0]) AS d, make_ym_interval(CAST(id AS INT)) AS ym, id AS n FROM range(4)) y ON l.d = y.d AND l.y = y.ym

query nightly
SELECT i, row_number() OVER (ORDER BY ym, dt DESC, i), row_number() OVER (ORDER BY hm DESC NULLS FIRST, y, i) FROM l

query
SELECT i, dt, d FROM l ORDER BY y DESC, dt, i LIMIT 6

query nightly
SELECT i, lag(ym) OVER w, lead(d, 1, INTERVAL '9' DAY) OVER w, first(dt) OVER w, last(m) OVER w, min(hm) OVER w, max(ym) OVER w, nth_value(dt, 2) OVER w, count(*) OVER (PARTITION BY d ORDER BY ym RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM l WINDOW w AS (PARTITION BY y ORDER BY d, i)

query
SELECT /*+ REPARTITION_BY_RANGE(3, dt, ym) */ i, dt, ym FROM l
