-- second of timestamps.
-- CONFIG spark.sql.session.timeZone=America/Los_Angeles|UTC|Asia/Kathmandu

query
SELECT second(t), second(n), second(TIMESTAMP'2024-02-14 12:58:59.5Z') FROM timestamps

query
SELECT second(t) FROM empty
