-- timestampdiff by all units, and timestamps minus timestamps.
-- COVERS TimestampDiff SubtractTimestamps
-- CONFIG spark.sql.session.timeZone=America/New_York|UTC|Australia/Lord_Howe|Asia/Kathmandu

table moments
SELECT t AS t2, n AS n2 FROM timestamps WHERE n > TIMESTAMP_NTZ'1899-01-01 00:00:00' OR n IS NULL
UNION ALL SELECT CAST(v AS TIMESTAMP), v FROM VALUES (TIMESTAMP_NTZ'2024-01-31 10:00:00'), (TIMESTAMP_NTZ'2024-03-01 09:59:59'), (TIMESTAMP_NTZ'2024-02-29 10:00:00.000001'), (TIMESTAMP_NTZ'2023-03-31 23:00:00') AS t(v)

query
SELECT timestampdiff(MICROSECOND, t, t2), timestampdiff(MILLISECOND, t, t2), timestampdiff(SECOND, t, t2), timestampdiff(MINUTE, t, t2), timestampdiff(HOUR, t, t2), timestampdiff(DAY, t, t2) FROM timestamps, moments

query
SELECT timestampdiff(WEEK, t, t2), timestampdiff(MONTH, t, t2), timestampdiff(QUARTER, t, t2), timestampdiff(YEAR, t, t2), datediff(MONTH, n2, n), datediff(HOUR, d, t2) FROM timestamps, moments

query
SELECT t2 - t, n - n2, t2 - d, t - TIMESTAMP'2024-03-31 00:00:00' FROM timestamps, moments

query
SELECT timestampdiff(MONTH, a.t2, b.t2), timestampdiff(MONTH, a.t2, TIMESTAMP'2024-02-29 10:00:00') FROM moments a, moments b

query
SELECT timestampdiff(HOUR, t, t), t - t FROM empty
