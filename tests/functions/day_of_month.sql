-- day(date).
-- CONFIG spark.sql.session.timeZone=America/Los_Angeles|UTC|Asia/Kolkata

query
SELECT day(d), day(d2), day(DATE'2024-12-31'), day(DATE'0001-01-01') FROM dates

query
SELECT day(t), day(n) FROM timestamps

query
SELECT d FROM dates WHERE day(d) > 3

query
SELECT day(x), day(t) FROM empty
