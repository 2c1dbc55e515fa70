-- extract(SECOND) of timestamps.
-- CONFIG spark.sql.session.timeZone=America/New_York|UTC|Australia/Lord_Howe|Asia/Kathmandu

query
SELECT extract(SECOND FROM t), extract(SECOND FROM n), date_part('second', TIMESTAMP'2024-02-14 12:58:59.5Z') FROM timestamps

query
SELECT extract(SECOND FROM t) FROM empty
