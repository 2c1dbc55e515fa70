-- month(date).
-- CONFIG spark.sql.session.timeZone=America/Los_Angeles|UTC|Asia/Kolkata

query
SELECT month(d), month(d2), month(DATE'2024-12-31'), month(DATE'0001-01-01') FROM dates

query
SELECT month(t), month(n) FROM timestamps

query
SELECT d FROM dates WHERE month(d) > 3

query
SELECT month(x), month(t) FROM empty
