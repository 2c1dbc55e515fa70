-- Intervals times and divided by numbers.
-- COVERS MultiplyDTInterval MultiplyYMInterval DivideDTInterval DivideYMInterval

table intervals
SELECT m, s FROM VALUES (INTERVAL '1-2' YEAR TO MONTH, INTERVAL '1 02:03:04.000005' DAY TO SECOND), (INTERVAL '-1-3' YEAR TO MONTH, INTERVAL '-1 02:03:04.000005' DAY TO SECOND),
  (INTERVAL '0' MONTH, INTERVAL '0' SECOND), (INTERVAL '1000-1' YEAR TO MONTH, INTERVAL '100000 04:00:54.775807' DAY TO SECOND), (NULL, NULL) AS t(m, s)

table numbers
SELECT * FROM VALUES (1Y, 2S, 3, 4L, float(0.1), 0.5D, 1.25BD, 1.123456789012345678BD), (-3Y, -7S, -2, -5L, float(-2.5), -0.3D, -0.50BD, -0.000000000000000001BD), (2Y, 1S, 7, 6L, float(3), 1e-3D, 3.33BD, 12.5BD), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) AS t(b, h, i, l, f, d, x, w)

query
SELECT s * b, s * h, s * i, s * l, s * f, s * d, s * x, s * w, 2 * s, s * 0.1D FROM intervals, numbers

query
SELECT m * b, m * h, m * i, m * l, m * f, m * d, m * x, m * w, 2 * m, INTERVAL '1' YEAR * d FROM intervals, numbers

query
SELECT s / b, s / h, s / i, s / l, s / f, s / d, s / x, s / 3, INTERVAL '1' DAY / i FROM intervals, numbers

query
SELECT m / b, m / h, m / i, m / l, m / f, m / d, m / x, m / 3, m / 2 FROM intervals, numbers

query error(ArithmeticException)
SELECT s * 9223372036854775807 FROM intervals

query error(ArithmeticException)
SELECT m * 1e300D FROM intervals

query error(ArithmeticException)
SELECT s * double('NaN') FROM intervals

query
SELECT s * 2, m / 2 FROM intervals WHERE s IS NULL AND m IS NOT NULL
