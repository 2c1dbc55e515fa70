-- dayofyear(date).
-- CONFIG spark.sql.session.timeZone=America/Los_Angeles|UTC|Asia/Kolkata

query
SELECT dayofyear(d), dayofyear(d2), dayofyear(DATE'2024-12-31'), dayofyear(DATE'0001-01-01') FROM dates

query
SELECT dayofyear(t), dayofyear(n) FROM timestamps

query
SELECT d FROM dates WHERE dayofyear(d) > 3

query
SELECT dayofyear(x), dayofyear(t) FROM empty
