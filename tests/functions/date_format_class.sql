-- date_format of timestamps: digits of all fields, far years, offsets of time zones.
-- CONFIG spark.sql.session.timeZone=America/Los_Angeles|UTC|Asia/Kathmandu

query
SELECT
  date_format(t, 'yyyy-MM-dd'), date_format(t, 'yyyyMMdd'), date_format(t, 'dd/MM/yyyy HH:mm'),
  date_format(t, 'yyyy'), date_format(t, 'MM'), date_format(t, 'HH'), date_format(t, 'mm'),
  date_format(t, 'yyyy-MM-dd HH:mm:ss.SSSSSS'), date_format(t, 'yyyyMMddHHmmss'),
  date_format(t, "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]"), date_format(t, "yyyy-MM-dd'T'HH:mm:ssXXX"),
  date_format(t, "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXXXX]")
FROM timestamps

query since=4.0
SELECT date_format(t, 'E'), date_format(t, 'EEEE'), date_format(t, 'MMM yyyy'), date_format(t, 'MMMM d, yyyy'), date_format(t, 'dd-MMM-yyyy'), date_format(t, 'M/d/yyyy'), date_format(t, 'EEE, dd MMM yyyy HH:mm:ss'), date_format(t, 'd'), date_format(t, 'yyyyMMddHHmm'), to_char(t, 'HHmmss') FROM timestamps

query
SELECT date_format(make_timestamp_ntz(y, 12, 31, 23, 59, 59.999), 'yyyy-MM-dd HH:mm:ss.SSS'), date_format(make_timestamp_ntz(y, 1, 1, 0, 0, 0), 'd MMM yyyy') FROM (SELECT explode(array(0, 1, -1, 9999, 10000, 20000)) AS y)

query
SELECT date_format(d, 'yyyy-MM'), date_format(n, 'ss') FROM timestamps

query
SELECT date_format(t, 'yyyy') FROM empty

query fallback(must be one of)
SELECT date_format(t, 'QQQ') FROM timestamps
