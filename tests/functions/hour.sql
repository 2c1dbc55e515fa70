-- hour of timestamps.
-- CONFIG spark.sql.session.timeZone=America/Los_Angeles|UTC|Asia/Kathmandu

query
SELECT hour(t), hour(n), hour(TIMESTAMP'2024-02-14 12:58:59.5Z') FROM timestamps

query
SELECT hour(t) FROM empty
