-- date_trunc with literal units.
-- CONFIG spark.sql.session.timeZone=America/Los_Angeles|UTC|America/Havana|Pacific/Apia|+05:30

query
SELECT date_trunc('year', t), date_trunc('quarter', t), date_trunc('MONTH', t), date_trunc('week', t), date_trunc('day', t), date_trunc('DD', t) FROM timestamps

query
SELECT date_trunc('hour', t), date_trunc('minute', t), date_trunc('second', t), date_trunc('millisecond', t), date_trunc('microsecond', t) FROM timestamps

query
SELECT date_trunc('month', n), date_trunc('year', d), date_trunc('day', TIMESTAMP'2024-11-03 09:30:00Z') FROM timestamps

query
SELECT date_trunc('month', t) FROM empty
