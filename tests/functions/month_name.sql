-- Names of months and of days of the week.
-- COVERS MonthName DayName
-- CONFIG spark.sql.session.timeZone=America/New_York|UTC|Australia/Lord_Howe|Asia/Kathmandu

query since=4.0
SELECT monthname(d), dayname(d), monthname(d2), dayname(DATE'2024-02-29') FROM dates

query since=4.0
SELECT monthname(t), dayname(t), dayname(n) FROM timestamps

query since=4.0
SELECT monthname(x), dayname(x) FROM empty
