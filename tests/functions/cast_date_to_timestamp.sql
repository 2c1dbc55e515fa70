-- The start of days whose midnight the clock skips after their evening.
-- COVERS Cast
-- CONFIG spark.sql.session.timeZone=America/Toronto|Pacific/Apia|America/Sao_Paulo

table days
SELECT d, CAST(d AS TIMESTAMP_NTZ) + INTERVAL '30' HOUR AS n FROM VALUES (DATE'1919-03-30'), (DATE'1919-03-31'), (DATE'1919-04-01'), (DATE'2011-12-30'), (DATE'2011-12-31'), (DATE'2018-11-04'), (DATE'1985-11-02'), (NULL) AS t(d)

query
SELECT CAST(d AS TIMESTAMP), date_trunc('DAY', CAST(n AS TIMESTAMP)), date_trunc('WEEK', CAST(n AS TIMESTAMP)), unix_timestamp(d), months_between(CAST(n AS TIMESTAMP), d) FROM days
