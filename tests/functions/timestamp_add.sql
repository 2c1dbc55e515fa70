-- timestampadd by all units.
-- CONFIG spark.sql.session.timeZone=America/New_York|UTC|Australia/Lord_Howe|Asia/Kathmandu

query
SELECT timestampadd(MICROSECOND, i, t), timestampadd(MILLISECOND, l, t), timestampadd(SECOND, i, t), timestampadd(MINUTE, i * 100, t), timestampadd(HOUR, i, t), timestampadd(DAY, i, t) FROM timestamps, small_integers

query
SELECT timestampadd(DAYOFYEAR, i * 30, t), timestampadd(WEEK, i, t), timestampadd(MONTH, i, t), timestampadd(QUARTER, i, t), timestampadd(YEAR, i, t), timestampadd(HOUR, i, n), timestampadd(MONTH, i, n), dateadd(DAY, i, n) FROM timestamps, small_integers

query
SELECT dateadd(MONTH, 1, d), timestampadd(HOUR, i, TIMESTAMP'2024-03-10 01:30:00'), timestampadd(YEAR, 1, t) FROM timestamps, small_integers

query error(DATETIME_OVERFLOW)
SELECT timestampadd(YEAR, l, t) FROM timestamps, integers

query error(DATETIME_OVERFLOW)
SELECT timestampadd(HOUR, 9223372036854775807, t) FROM timestamps

query
SELECT timestampadd(DAY, 1, t) FROM empty
