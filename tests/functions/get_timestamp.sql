-- Timestamps and dates of texts in a pattern.
-- CONFIG spark.sql.session.timeZone=America/New_York|UTC|Australia/Lord_Howe|Asia/Kathmandu

table texts
SELECT s FROM VALUES ('2024-03-10 02:30:00'), ('1883-11-18 12:00:00'), ('0001-01-01 00:00:00'), ('9999-12-31 23:59:59'), ('1582-10-10 10:10:10'), ('1969-12-31 23:59:59'), ('2024-11-03 01:30:00'), (NULL) AS t(s)

table odd
SELECT s FROM VALUES ('2024-02-29'), ('2023-02-29'), ('2024-2-9'), ('2024-02-9'), ('24-02-09'), ('+12024-02-29'), ('+2024-02-29'), ('-0044-03-15'), ('-0000-01-01'), ('12024-02-29'), (''), (' 2024-02-29'), ('2024-02-29 '), ('2024-13-01'), ('2024-00-10'), ('2024-02-00'), ('２０２４-02-01'), ('2024-02-29x'), ('2024/02/29'), (NULL) AS t(s)

table clocks
SELECT s FROM VALUES ('1:2'), ('01:02'), ('23:59'), ('24:00'), ('0000000001:02'), ('12:60'), ('1:002'), ('-1:00'), ('00000000000000000001:00'), (NULL) AS t(s)

table zoned
SELECT s FROM VALUES ('2024-03-10T02:30:00.5Z'), ('2024-03-10t02:30:00.123+01:30'), ('2024-03-10T02:30:00.12-08:00'), ('2024-03-10T02:30:00.123z'), ('2024-03-10T02:30:00.1234Z'), ('2024-03-10T02:30:00Z'), ('2024-03-10T02:30:00.000+17:59'), ('2024-03-10T02:30:00.1+18:00'), ('2024-03-10T02:30:00.1-18:00'), ('2024-03-10T02:30:00.1+18:01'), ('+12024-03-10T02:30:00.5-00:01'), (NULL) AS t(s)

query
SELECT to_timestamp(s, 'yyyy-MM-dd HH:mm:ss'), to_timestamp_ntz(s, 'yyyy-MM-dd HH:mm:ss'), to_date(s, 'yyyy-MM-dd HH:mm:ss'), to_date(substr(s, 1, 10), 'yyyy-MM-dd'), try_to_timestamp(s, 'yyyy-MM-dd HH:mm:ss') FROM texts

query
SELECT try_to_timestamp(s, 'yyyy-MM-dd'), try_to_timestamp(s, 'yyyy-M-d'), try_to_timestamp(s, 'yyyy/MM/dd') FROM odd WHERE s NOT LIKE '２%'

query
SELECT try_to_timestamp(s, 'yyyy-MM-dd'), try_to_timestamp(concat(s, ' 1:02'), 'yyyy-MM-dd H:mm') FROM odd

query
SELECT try_to_timestamp(s, 'HH:mm') FROM clocks

query replay
SELECT try_to_timestamp(concat('01/01/2020 ', s), 'dd/MM/yyyy H:mm') FROM clocks

query
SELECT try_to_timestamp(s, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"), try_to_timestamp(s, "yyyy-MM-dd'T'HH:mm:ssXXX"), try_to_timestamp(s, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'") FROM zoned

query
SELECT to_timestamp(date_format(t, 'dd/MM/yyyy HH:mm'), 'dd/MM/yyyy HH:mm'), to_date(date_format(t, 'yyyyMMdd'), 'yyyyMMdd'), to_timestamp(date_format(t, 'HH:mm:ss'), 'HH:mm:ss'), to_timestamp(date_format(t, 'yyyy-MM-dd HH:mm:ss.SSSSSS'), 'yyyy-MM-dd HH:mm:ss.SSSSSS') FROM timestamps

query ansi_error(CANNOT_PARSE_TIMESTAMP)
SELECT to_date(s, 'yyyy-MM-dd') FROM odd

query fallback(must be one of)
SELECT try_to_timestamp(s, 'dd MMM yyyy') FROM texts

query
SELECT to_timestamp(s, 'yyyy-MM-dd') FROM empty
