-- Timestamps plus intervals of days and times: days on the local clock, the rest on the timeline.
-- COVERS TimestampAddInterval TimeAdd
-- CONFIG spark.sql.session.timeZone=America/New_York|UTC|Australia/Lord_Howe|Asia/Kathmandu

table steps
SELECT v FROM VALUES (INTERVAL '1 02:03:04.000005' DAY TO SECOND), (INTERVAL '-1 02:03:04.000005' DAY TO SECOND), (INTERVAL '0' SECOND), (INTERVAL '36' HOUR), (INTERVAL '-240 01' DAY TO HOUR), (NULL) AS t(v)

query
SELECT t + v, n + v, t - v, d + v FROM timestamps, steps

query
SELECT t + INTERVAL '1' DAY, t - INTERVAL '1' HOUR, t + INTERVAL '24' HOUR, n + INTERVAL '30' MINUTE, d + INTERVAL '1' SECOND, TIMESTAMP'2024-03-09 02:30:00' + v, d - INTERVAL '1' DAY FROM timestamps, steps

query error(ArithmeticException)
SELECT t + INTERVAL '106751991 04:00:54' DAY TO SECOND FROM timestamps

query error(ArithmeticException)
SELECT n + INTERVAL '106751991 04:00:54' DAY TO SECOND FROM timestamps

query
SELECT t + INTERVAL '1' DAY FROM empty
