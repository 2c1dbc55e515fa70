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

-- The first and the last timestamps that there are: a zone's offset would wrap around.
table ends
SELECT explode(array(-9223372036854775807 - 1, -9223372036854775800, 0, 9223372036854775807)) AS micros

query replay
SELECT micros, year(timestamp_micros(micros)), hour(timestamp_micros(micros)), date_format(timestamp_micros(micros), 'yyyy') FROM ends
