-- weekofyear and the year of the week.
-- COVERS WeekOfYear YearOfWeek
-- CONFIG spark.sql.session.timeZone=America/New_York|UTC|Australia/Lord_Howe

query
SELECT weekofyear(d), weekofyear(d2), extract(YEAROFWEEK FROM d), extract(YEAROFWEEK FROM d2), weekofyear(DATE'2024-12-31') FROM dates

query
SELECT weekofyear(t), extract(YEAROFWEEK FROM t), date_part('week', n) FROM timestamps

query
SELECT weekofyear(date_add(DATE'2000-01-01' , i * 13)), extract(YEAROFWEEK FROM date_add(DATE'2000-01-01', i * 13)) FROM small_integers

query
SELECT weekofyear(date_add(d, 2147483647)), extract(YEAROFWEEK FROM date_add(d, -2147483648)) FROM dates WHERE d = DATE'1970-01-01'

query
SELECT weekofyear(x) FROM empty
