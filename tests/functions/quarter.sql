-- quarter(date).
-- CONFIG spark.sql.session.timeZone=America/Los_Angeles|UTC|Asia/Kolkata

query
SELECT quarter(d), quarter(d2), quarter(DATE'2024-12-31'), quarter(DATE'0001-01-01') FROM dates

query
SELECT quarter(t), quarter(n) FROM timestamps

query
SELECT d FROM dates WHERE quarter(d) > 3

query
SELECT quarter(x), quarter(t) FROM empty
