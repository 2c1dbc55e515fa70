-- year(date).
-- CONFIG spark.sql.session.timeZone=America/Los_Angeles|UTC|Asia/Kolkata

query
SELECT year(d), year(d2), year(DATE'2024-12-31'), year(DATE'0001-01-01') FROM dates

query
SELECT year(t), year(n) FROM timestamps

query
SELECT d FROM dates WHERE year(d) > 3

query
SELECT year(x), year(t) FROM empty
