-- weekday(date).
-- CONFIG spark.sql.session.timeZone=America/Los_Angeles|UTC|Asia/Kolkata

query
SELECT weekday(d), weekday(d2), weekday(DATE'2024-12-31'), weekday(DATE'0001-01-01') FROM dates

query
SELECT weekday(t), weekday(n) FROM timestamps

query
SELECT d FROM dates WHERE weekday(d) > 3

query
SELECT weekday(x), weekday(t) FROM empty
