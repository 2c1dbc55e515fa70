-- datediff.
-- CONFIG spark.sql.session.timeZone=America/Los_Angeles|UTC

query
SELECT datediff(d, d2), datediff(d2, d), datediff(d, DATE'2000-01-01'), datediff(DATE'2000-01-01', d), datediff(DATE'2000-01-02', DATE'2000-01-01') FROM dates

query
SELECT datediff(t, n), datediff(n, DATE'2000-01-01') FROM timestamps

query
SELECT datediff(x, x) FROM empty
