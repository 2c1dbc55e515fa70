-- make_timestamp with and without a time zone.
-- CONFIG spark.sql.session.timeZone=America/New_York|UTC|Australia/Lord_Howe|Asia/Kathmandu

table fields
SELECT y, mo, d, h, mi, CAST(s AS DECIMAL(16,6)) AS s FROM VALUES (2024, 3, 10, 2, 30, 0), (2024, 11, 3, 1, 30, 59.999999), (1, 1, 1, 0, 0, 0), (9999, 12, 31, 23, 59, 59.5), (1970, 1, 1, 0, 0, 60), (2024, 2, 29, 12, 0, 0.000001),
  (1582, 10, 10, 1, 1, 1), (1883, 11, 18, 12, 1, 0), (NULL, 1, 1, 1, 1, 1), (2024, NULL, 1, 1, 1, 1), (2024, 1, NULL, 9, 1, 1), (2024, 1, 1, NULL, 1, 9), (2024, 1, 1, 1, NULL, 1), (2024, 12, 1, 1, 1, NULL), (-44, 3, 15, 12, 0, 0) AS t(y, mo, d, h, mi, s)

table wrong
SELECT y, mo, d, h, mi, CAST(s AS DECIMAL(16,6)) AS s FROM VALUES (2023, 2, 29, 0, 0, 0), (2024, 0, 1, 0, 0, 0), (2024, 1, 32, 0, 0, 0), (2024, 1, 1, 24, 0, 0), (2024, 1, 1, -1, 0, 0), (2024, 1, 1, 0, 60, 0), (2024, 1, 1, 0, 0, 60.5), (2024, 1, 1, 0, 0, -0.000001), (2024, 1, 1, 0, 0, 61), (2024, 1, 1, 0, 0, 1) AS t(y, mo, d, h, mi, s)

query
SELECT make_timestamp(y, mo, d, h, mi, s), make_timestamp_ltz(y, mo, d, h, mi, s), make_timestamp_ntz(y, mo, d, h, mi, s), make_timestamp(y, 2, 3, h, 5, 6.5) FROM fields

query
SELECT make_timestamp(y, mo, d, h, mi, s, 'America/Sao_Paulo'), make_timestamp_ltz(y, mo, d, h, mi, s, '+01:30') FROM fields

query ansi_error(DATETIME_FIELD_OUT_OF_BOUNDS)
SELECT make_timestamp(y, mo, d, h, mi, s), make_timestamp_ntz(y, mo, d, h, mi, s) FROM wrong WHERE s <> 60.5

query ansi_error(INVALID_FRACTION_OF_SECOND)
SELECT make_timestamp(y, mo, d, h, mi, s) FROM wrong WHERE s = 60.5

query since=4.0
SELECT try_make_timestamp(y, mo, d, h, mi, s), try_make_timestamp_ntz(y, mo, d, h, mi, s), try_make_timestamp_ltz(y, mo, d, h, mi, s) FROM wrong

query fallback(field timeZoneId)
SELECT make_timestamp(y, mo, d, h, mi, s, substr('UTC  ', 1, h % 1 + 3)) FROM fields

query
SELECT make_timestamp(i, i, i, i, i, 1) FROM empty
