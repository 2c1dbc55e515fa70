-- CAST and TRY_CAST among numbers, booleans, dates and timestamps, and to string.
-- CONFIG spark.sql.session.timeZone=America/Los_Angeles|UTC|Europe/Paris

query
SELECT CAST(b AS tinyint), CAST(b AS smallint), CAST(b AS int), CAST(b AS bigint), CAST(b AS float), CAST(b AS double), CAST(b AS boolean), CAST(b AS string), CAST(b AS decimal(20,2)), CAST(b AS decimal(38,10)),
  CAST(s AS tinyint), CAST(s AS smallint), CAST(s AS int), CAST(s AS bigint), CAST(s AS float), CAST(s AS double), CAST(s AS boolean), CAST(s AS string), CAST(s AS decimal(20,2)), CAST(s AS decimal(38,10)),
  CAST(i AS tinyint), CAST(i AS smallint), CAST(i AS int), CAST(i AS bigint), CAST(i AS float), CAST(i AS double), CAST(i AS boolean), CAST(i AS string), CAST(i AS decimal(20,2)), CAST(i AS decimal(38,10)),
  CAST(l AS int), CAST(l AS bigint), CAST(l AS float), CAST(l AS double), CAST(l AS boolean), CAST(l AS string), CAST(l AS decimal(20,2)) FROM small_integers

query
SELECT try_cast(b AS tinyint), try_cast(b AS smallint), try_cast(b AS int), try_cast(b AS bigint), try_cast(b AS decimal(5,2)), try_cast(b AS decimal(18,0)), try_cast(b AS decimal(38,30)),
  try_cast(s AS tinyint), try_cast(s AS smallint), try_cast(s AS int), try_cast(s AS bigint), try_cast(s AS decimal(5,2)), try_cast(s AS decimal(18,0)), try_cast(s AS decimal(38,30)),
  try_cast(i AS tinyint), try_cast(i AS smallint), try_cast(i AS int), try_cast(i AS bigint), try_cast(i AS decimal(5,2)), try_cast(i AS decimal(18,0)), try_cast(i AS decimal(38,30)),
  try_cast(l AS tinyint), try_cast(l AS smallint), try_cast(l AS int), try_cast(l AS bigint), try_cast(l AS decimal(5,2)), try_cast(l AS decimal(18,0)), try_cast(l AS decimal(38,30)) FROM integers

query ansi_error(CAST_OVERFLOW)
SELECT CAST(l AS INT), CAST(l AS SMALLINT), CAST(l AS TINYINT) FROM integers

query ansi_error(CAST_OVERFLOW)
SELECT CAST(i AS SMALLINT) FROM integers

query ansi_error(CAST_OVERFLOW)
SELECT CAST(s AS TINYINT) FROM integers

query ansi_error(NUMERIC_VALUE_OUT_OF_RANGE)
SELECT CAST(i AS DECIMAL(5,2)) FROM integers

query
SELECT CAST(b AS string), CAST(b AS boolean), CAST(b AS float), CAST(b AS double),
  CAST(s AS string), CAST(s AS boolean), CAST(s AS float), CAST(s AS double),
  CAST(i AS string), CAST(i AS boolean), CAST(i AS float), CAST(i AS double),
  CAST(l AS string), CAST(l AS boolean), CAST(l AS float), CAST(l AS double), CAST(300 AS STRING) FROM integers

query
SELECT try_cast(f AS tinyint), try_cast(f AS smallint), try_cast(f AS int), try_cast(f AS bigint), try_cast(f AS float), try_cast(f AS double), try_cast(f AS boolean), try_cast(f AS decimal(10,2)), try_cast(f AS decimal(38,10)), try_cast(f AS decimal(20,0)),
  try_cast(d AS tinyint), try_cast(d AS smallint), try_cast(d AS int), try_cast(d AS bigint), try_cast(d AS float), try_cast(d AS double), try_cast(d AS boolean), try_cast(d AS decimal(10,2)), try_cast(d AS decimal(38,10)), try_cast(d AS decimal(20,0)) FROM floats

query
SELECT CAST(f AS int), CAST(f AS bigint), CAST(f AS float), CAST(f AS double), CAST(f AS boolean), CAST(f AS decimal(20,3)),
  CAST(d AS int), CAST(d AS bigint), CAST(d AS float), CAST(d AS double), CAST(d AS boolean), CAST(d AS decimal(20,3)), CAST(2.9D AS INT), CAST(-2.9D AS BIGINT) FROM finite_floats

query ansi_error(CAST_OVERFLOW)
SELECT CAST(d AS INT) FROM floats

query ansi_error(CAST_OVERFLOW)
SELECT CAST(f AS BIGINT), CAST(f AS TINYINT) FROM floats

query ansi_error(NUMERIC_VALUE_OUT_OF_RANGE)
SELECT CAST(d AS DECIMAL(10,2)) FROM floats

query
SELECT CAST(a AS int), CAST(a AS bigint), CAST(a AS double), CAST(a AS boolean), CAST(a AS string), CAST(a AS decimal(38,10)), CAST(a AS decimal(20,1)),
  CAST(m AS int), CAST(m AS bigint), CAST(m AS double), CAST(m AS boolean), CAST(m AS string), CAST(m AS decimal(38,10)), CAST(m AS decimal(20,1)),
  CAST(w AS int), CAST(w AS bigint), CAST(w AS double), CAST(w AS boolean), CAST(w AS string), CAST(w AS decimal(38,10)), CAST(w AS decimal(20,1)), CAST(1.5 AS INT), CAST(CAST(0.0000001 AS DECIMAL(38,10)) AS STRING) FROM decimals

query
SELECT CAST(w AS STRING), CAST(z AS STRING), CAST(v AS STRING), CAST(w AS DOUBLE), CAST(z AS DOUBLE), CAST(w AS BOOLEAN) FROM wide_decimals

query
SELECT CAST(a AS FLOAT), CAST(m AS FLOAT) FROM decimals WHERE a < 1000

query
SELECT try_cast(w AS tinyint), try_cast(w AS smallint), try_cast(w AS int), try_cast(w AS bigint), try_cast(w AS decimal(10,2)), try_cast(w AS decimal(38,0)), try_cast(w AS decimal(38,20)),
  try_cast(z AS tinyint), try_cast(z AS smallint), try_cast(z AS int), try_cast(z AS bigint), try_cast(z AS decimal(10,2)), try_cast(z AS decimal(38,0)), try_cast(z AS decimal(38,20)),
  try_cast(v AS tinyint), try_cast(v AS smallint), try_cast(v AS int), try_cast(v AS bigint), try_cast(v AS decimal(10,2)), try_cast(v AS decimal(38,0)), try_cast(v AS decimal(38,20)) FROM wide_decimals

query ansi_error(CAST_OVERFLOW)
SELECT CAST(w AS INT) FROM wide_decimals

query ansi_error(CAST_OVERFLOW)
SELECT CAST(z AS BIGINT), CAST(z AS SMALLINT) FROM wide_decimals

query ansi_error(NUMERIC_VALUE_OUT_OF_RANGE)
SELECT CAST(z AS DECIMAL(10,2)) FROM wide_decimals

query
SELECT CAST(p AS tinyint), CAST(p AS smallint), CAST(p AS int), CAST(p AS bigint), CAST(p AS float), CAST(p AS double), CAST(p AS string), CAST(p AS decimal(3,1)), CAST(true AS INT) FROM booleans

query
SELECT CAST(d AS STRING), CAST(d AS TIMESTAMP), CAST(d AS TIMESTAMP_NTZ), CAST(DATE'2024-03-10' AS TIMESTAMP), CAST(CAST(d AS TIMESTAMP) AS DATE) FROM dates WHERE d < DATE'2390-01-01' OR d IS NULL

query
SELECT CAST(t AS DATE), CAST(t AS TIMESTAMP_NTZ), CAST(t AS BIGINT), CAST(t AS DOUBLE), CAST(t AS FLOAT), CAST(t AS DECIMAL(20,6)), CAST(t AS STRING), CAST(n AS STRING), CAST(n AS DATE), CAST(n AS TIMESTAMP), CAST(d AS TIMESTAMP) FROM timestamps

query
SELECT try_cast(t AS INT), try_cast(t AS SMALLINT), try_cast(t AS TINYINT), try_cast(t AS DECIMAL(10,3)) FROM timestamps

query ansi_error(CAST_OVERFLOW)
SELECT CAST(t AS INT) FROM timestamps

query
SELECT CAST(b AS TIMESTAMP), CAST(i AS TIMESTAMP), CAST(l AS TIMESTAMP), try_cast(l AS TIMESTAMP) FROM integers

query
SELECT CAST(d AS TIMESTAMP), CAST(f AS TIMESTAMP) FROM finite_floats

query
SELECT try_cast(d AS TIMESTAMP), try_cast(f AS TIMESTAMP) FROM floats

query
SELECT CAST(a AS TIMESTAMP), CAST(m AS TIMESTAMP), CAST(w AS TIMESTAMP) FROM decimals

query only(legacy)
SELECT CAST(p AS TIMESTAMP) FROM booleans

query only(legacy)
SELECT CAST(t AS BOOLEAN), CAST(t AS INT) FROM timestamps

query
SELECT CAST(NULL AS INT), CAST(NULL AS STRING), CAST(NULL AS DECIMAL(10,2)), CAST(NULL AS DATE), i FROM small_integers

query fallback(to interval day is not supported)
SELECT CAST(p AS INTERVAL DAY) FROM strings WHERE p = '1'

query
SELECT CAST(i AS BIGINT), CAST(d AS INT), CAST(m AS INT), CAST(t AS DATE), CAST(x AS STRING) FROM empty

-- Spark 4.0 takes these by way of a double, so the engine leaves them to Spark.
query replay
SELECT CAST(timestamp_micros(12228766659000001 + i) AS DECIMAL(38,10)) FROM small_integers
