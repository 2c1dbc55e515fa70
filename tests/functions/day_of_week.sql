-- dayofweek(date).
-- CONFIG spark.sql.session.timeZone=America/Los_Angeles|UTC|Asia/Kolkata

query
SELECT dayofweek(d), dayofweek(d2), dayofweek(DATE'2024-12-31'), dayofweek(DATE'0001-01-01') FROM dates

query
SELECT dayofweek(t), dayofweek(n) FROM timestamps

query
SELECT d FROM dates WHERE dayofweek(d) > 3

query
SELECT dayofweek(x), dayofweek(t) FROM empty
