-- Timestamps plus intervals of months, on the local clock.
-- COVERS TimestampAddYMInterval
-- CONFIG spark.sql.session.timeZone=America/New_York|UTC|Australia/Lord_Howe|Asia/Kathmandu

query
SELECT t + INTERVAL '1' MONTH, t - INTERVAL '1' MONTH, t + INTERVAL '8' MONTH, n + INTERVAL '-1-1' YEAR TO MONTH, t + INTERVAL '100' YEAR FROM timestamps

query
SELECT t + make_ym_interval(0, i), n + make_ym_interval(i, 1), TIMESTAMP'2024-10-31 01:30:00' + make_ym_interval(0, i) FROM timestamps, small_integers

query error(ArithmeticException)
SELECT t + INTERVAL '300000' YEAR FROM timestamps

query
SELECT t + INTERVAL '1' MONTH FROM empty
