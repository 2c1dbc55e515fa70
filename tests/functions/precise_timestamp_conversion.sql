-- Windows of time: the groups of timestamps, and the columns of the windows.
-- CONFIG spark.sql.session.timeZone=America/New_York|UTC|Australia/Lord_Howe|Asia/Kathmandu

query
SELECT window(t, '1 hour'), n FROM timestamps

query
SELECT window(n, '5 minutes', '5 minutes', '1 minute').start, t FROM timestamps

query
SELECT window.start, window.end, count(*) FROM (SELECT window(t, '1 week') AS window FROM timestamps) GROUP BY window

query
SELECT window_time(window), count(*) FROM (SELECT window(t, '1 week') AS window FROM timestamps) GROUP BY window_time(window)

query
SELECT window(t, '1 day', '6 hours'), n FROM timestamps

query
SELECT window(t, '1 hour') FROM empty
