-- Seconds of texts in a pattern, of dates and of timestamps.
-- COVERS UnixTimestamp ToUnixTimestamp
-- CONFIG spark.sql.session.timeZone=America/New_York|UTC|Australia/Lord_Howe|Asia/Kathmandu

query
SELECT unix_timestamp(t), unix_timestamp(n), unix_timestamp(d), to_unix_timestamp(t), to_unix_timestamp(d, 'yyyy'), to_unix_timestamp(n) FROM timestamps

query
SELECT unix_timestamp(date_format(t, 'yyyy-MM-dd HH:mm:ss')), to_unix_timestamp(date_format(t, 'MM/dd/yyyy'), 'M/d/yyyy'), unix_timestamp('2024-03-10 02:30:00'), unix_timestamp(date_format(n, 'dd.MM.yyyy'), 'dd.MM.yyyy') FROM timestamps WHERE year(t) > 1

query ansi_error(CANNOT_PARSE_TIMESTAMP)
SELECT unix_timestamp(s) FROM strings

query ansi_error(CANNOT_PARSE_TIMESTAMP)
SELECT to_unix_timestamp(s, 'yyyyMMdd') FROM strings

query
SELECT unix_timestamp(s), to_unix_timestamp(t) FROM empty
