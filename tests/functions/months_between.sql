-- months_between with and without rounding.
-- CONFIG spark.sql.session.timeZone=America/New_York|UTC|Australia/Lord_Howe|Asia/Kathmandu

query
SELECT months_between(t, TIMESTAMP'1996-10-30 00:00:00'), months_between(t, n), months_between(n, d, false), months_between(TIMESTAMP'2024-02-29 12:00:00', t) FROM timestamps

query
SELECT months_between(a.t, b.t), months_between(a.t, b.t, false) FROM timestamps a, timestamps b

query
SELECT months_between(d, d2), months_between(d, d2, false) FROM dates

query
SELECT months_between(t, t) FROM empty
