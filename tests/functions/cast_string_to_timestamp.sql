-- CAST and TRY_CAST from string to dates and timestamps.
-- CONFIG spark.sql.session.timeZone=America/New_York|UTC|Australia/Lord_Howe|Asia/Kathmandu
-- COVERS Cast

table texts_of_dates
SELECT x FROM VALUES ('2020-02-29'), ('2021-02-29'), ('2020-2-9'), ('2020-02'), ('2020'), ('202'), ('20200229'), ('2020-13-01'), ('2020-00-01'), ('2020-01-00'), ('2020-04-31'), ('2020-001-01'), ('2020-01-001'), ('0000-01-01'), ('0001-01-01'), ('-0001-12-31'), ('+2020-01-01'),
  ('9999-12-31'), ('10000-01-01'), ('+0012345-01-01'), ('5881580-07-11'), ('5881580-07-12'), ('-5877641-06-23'), ('-5877641-06-22'), ('99999999-01-01'), (' 2020-01-01 '), ('\t2020-01-01\u007f'), ('\u00a02020-01-01'), ('2020-01-01T'), ('2020-01-01Tnoon'), ('2020-01-01 noon'), ('2020-01-01t'), ('2020-01-01 12:34:56'), ('2020-1T'), ('2020-01-'), ('2020-'), ('2020/01/01'), ('01/02/2020'),
  ('1582-10-10'), ('1900-02-29'), ('2000-02-29'), ('٢٠٢٠-01-01'), ('epoch'), ('now'), ('today'), (''), (' '), ('-'), ('+'), ('N/A'), (NULL) AS t(x)

table texts_of_timestamps
SELECT x FROM VALUES ('2020-06-01 12:34:56'), ('2020-06-01T12:34:56'), ('2020-06-01 12:34:56.1'), ('2020-06-01 12:34:56.123456'), ('2020-06-01 12:34:56.123456789'), ('2020-06-01 12:34:56.'), ('2020-06-01 12:34'), ('2020-06-01 12'), ('2020-06-01'), ('2020-06'), ('2020'), ('2020-6-1 1:2:3'), ('2020-06-01  12:34:56'), ('2020-06-01 '), ('2020-06-01T'),
  ('2020-06-01 24:00:00'), ('2020-06-01 23:60:00'), ('2020-06-01 23:59:60'), ('2020-06-31 00:00:00'), ('2020-06-01 12:34:56Z'), ('2020-06-01 12:34:56 Z'), ('2020-06-01T12:34:56.789Z'), ('2020-06-01T12:34:56.123456789Z'), ('2020-06-01 12:34Z'), ('2020-06-01Z'), ('2020-06-01 12:34:56z'), ('2020-06-01 12:34:56+01:00'), ('2020-06-01 12:34:56.5-08:30'), ('2020-06-01 12:34:56 +05:45'), ('2020-06-01 12:34:56+1:00'), ('2020-06-01 12:34:56+01:5'), ('2020-06-01 12:34:56+0100'), ('2020-06-01 12:34:56+01'), ('2020-06-01 12:34:56+1'), ('2020-06-01 12:34:56+01:02:03'),
  ('2020-06-01 12:34:56+18:00'), ('2020-06-01 12:34:56+18:01'), ('2020-06-01 12:34:56+19:00'), ('2020-06-01 12:34:56-01:60'), ('2020-06-01 12:34:56UTC'), ('2020-06-01 12:34:56 GMT'), ('2020-06-01 12:34:56 UT'), ('2020-06-01 12:34:56 UTC+1'), ('2020-06-01 12:34:56GMT-08:00'), ('2020-06-01 12:34:56 UTC+'), ('2020-06-01 12:34:56 utc'), ('2020-06-01 12:34:56 foo'), ('2020-06-01 12:34:56 Foo/Bar'), ('2020-06-01 12:34:56 +'), ('2020-06-01 12:34:56.5.5'),
  ('2024-03-10 02:30:00'), ('2024-11-03 01:30:00'), ('2024-11-03 01:30:00-05:00'), ('2024-10-06 02:15:00'), ('2024-04-07 01:45:00'), ('1985-12-31 23:50:00'), ('1986-01-01 00:05:00'), ('1883-11-18 12:00:00'), ('0001-01-01 00:00:00'), ('0000-12-31 23:59:59'), ('-0044-03-15 12:00:00'), ('9999-12-31 23:59:59.999999'), ('+12345-01-01 00:00:00'), ('0012345-01-01 00:00:00'), ('200000-01-01 00:00:00'), ('999999-01-01 00:00:00'), ('-290400-01-01 00:00:00'),
  (' 2020-06-01 12:34:56\t'), ('\u00002020-06-01 12:34:56\u007f'), ('\u00a02020-06-01 12:34:56'), ('25:00'), ('12:60'), ('T24'), ('1:2:3:4'), ('+12:34'), ('epoch'), ('now'), ('tomorrow'), ('1591014896'), (''), ('N/A'), (NULL) AS t(x)

table plain_moments
SELECT x, d FROM VALUES ('2020-06-01 12:34:56', '2020-06-01'), ('2020-06-01 12:34:56.789', '1969-12-31'), ('1969-12-31 23:59:59.999999', '0001-01-01'), ('2024-03-10 02:30:00', '2024-02-29'), ('2024-11-03 01:30:00', '9999-12-31'), (NULL, NULL) AS t(x, d)

table zulu_moments
SELECT x FROM VALUES ('2020-06-01T12:34:56Z'), ('2020-06-01 12:34:56.789Z'), ('1969-12-31T23:59:59.999999Z'), (NULL) AS t(x)

table offset_moments
SELECT x FROM VALUES ('2020-06-01T12:34:56+01:00'), ('2020-06-01 12:34:56.789-08:30'), ('1969-12-31T23:59:59.999999+18:00'), (NULL) AS t(x)

table texts_of_regions
SELECT x FROM VALUES ('2020-06-01 12:34:56 America/New_York'), ('2020-06-01 12:34:56 PST'), ('2020-06-01 12:34:56Europe/Nowhere'), ('2020-06-01 12:34:56 GMT0') AS t(x)

query
SELECT x, try_cast(x AS DATE), CAST(d AS DATE) FROM texts_of_dates CROSS JOIN (SELECT d FROM plain_moments WHERE d > '2024')

query ansi_error(CAST_INVALID_INPUT)
SELECT x, CAST(x AS DATE) FROM texts_of_dates

query
SELECT x, try_cast(x AS TIMESTAMP) FROM texts_of_timestamps

query
SELECT x, try_cast(x AS TIMESTAMP_NTZ) FROM texts_of_timestamps

query
SELECT x, try_cast(x AS DATE) FROM texts_of_timestamps

query ansi_error(CAST_INVALID_INPUT)
SELECT x, CAST(x AS TIMESTAMP), CAST(x AS TIMESTAMP_NTZ) FROM texts_of_timestamps

query ansi_error(CAST_INVALID_INPUT)
SELECT CAST(x AS TIMESTAMP_NTZ) FROM texts_of_timestamps WHERE x = '2020-06-31 00:00:00'

query
SELECT x, CAST(x AS TIMESTAMP), CAST(x AS TIMESTAMP_NTZ), CAST(x AS DATE), CAST(d AS DATE), CAST(d AS TIMESTAMP), CAST(d AS TIMESTAMP_NTZ), try_cast('2020-06-01 1:00' AS TIMESTAMP), CAST('2020-06' AS DATE) FROM plain_moments

query
SELECT x, CAST(x AS TIMESTAMP), CAST(x AS TIMESTAMP_NTZ), CAST(x AS DATE) FROM zulu_moments

query
SELECT x, CAST(x AS TIMESTAMP), CAST(x AS TIMESTAMP_NTZ), CAST(x AS DATE) FROM offset_moments

query
SELECT x, CAST(x AS TIMESTAMP), CAST(x AS TIMESTAMP_NTZ) FROM (SELECT x FROM zulu_moments UNION ALL SELECT x FROM offset_moments UNION ALL SELECT x FROM plain_moments)

query
SELECT CAST(s AS DATE), CAST(s AS TIMESTAMP), CAST(s AS TIMESTAMP_NTZ) FROM empty

query replay
SELECT x, try_cast(x AS TIMESTAMP), try_cast(x AS TIMESTAMP_NTZ), try_cast(x AS DATE) FROM texts_of_regions
