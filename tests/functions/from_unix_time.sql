-- from_unixtime with the patterns of date_format.
-- CONFIG spark.sql.session.timeZone=America/New_York|UTC|Australia/Lord_Howe|Asia/Kathmandu

query
SELECT from_unixtime(unix_seconds(t)), from_unixtime(unix_seconds(t), 'yyyy-MM-dd'), from_unixtime(unix_seconds(t), 'HH:mm'), from_unixtime(0) FROM timestamps

query
SELECT from_unixtime(l), from_unixtime(i), from_unixtime(l * 100000, "yyyy-MM-dd'T'HH:mm:ssXXX") FROM small_integers

query
SELECT from_unixtime(l, 'yyyy') FROM integers

query fallback(must be one of)
SELECT from_unixtime(l, 'QQQ') FROM small_integers

query
SELECT from_unixtime(l) FROM empty
