-- Timestamps moved from one time zone to another.
-- COVERS FromUTCTimestamp ToUTCTimestamp ConvertTimezone
-- CONFIG spark.sql.session.timeZone=America/New_York|UTC|Australia/Lord_Howe|Asia/Kathmandu

query
SELECT from_utc_timestamp(t, 'Asia/Seoul'), to_utc_timestamp(t, 'Asia/Seoul'), from_utc_timestamp(t, 'America/Los_Angeles'), to_utc_timestamp(t, 'America/Los_Angeles'), from_utc_timestamp(n, '+01:00'), to_utc_timestamp(d, 'PST'), from_utc_timestamp(t, 'UTC') FROM timestamps

query
SELECT convert_timezone('Europe/Brussels', 'UTC', n), convert_timezone('America/New_York', n), convert_timezone('America/Los_Angeles', 'Australia/Lord_Howe', n), convert_timezone('Asia/Kathmandu', t) FROM timestamps

query fallback(field timeZoneId)
SELECT from_utc_timestamp(t, CASE WHEN n > TIMESTAMP_NTZ'2024-01-01 00:00:00' THEN 'UTC' ELSE 'Asia/Tokyo' END) FROM timestamps

query
SELECT from_utc_timestamp(t, 'Asia/Seoul'), convert_timezone('Asia/Seoul', t) FROM empty
