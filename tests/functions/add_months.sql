-- add_months, and dates plus intervals of months.
-- COVERS AddMonths DateAddYMInterval

query
SELECT add_months(d, n8), add_months(d, 1), add_months(d, -1), add_months(d, 12), add_months(DATE'2024-01-31', n8), add_months(d2, NULL), add_months(DATE'2024-02-29', -12) FROM dates

query
SELECT d + INTERVAL '1' MONTH, d - INTERVAL '1-1' YEAR TO MONTH, DATE'2024-03-31' - INTERVAL '1' MONTH, d + make_ym_interval(1, n8) FROM dates

query
SELECT add_months(d, n), year(add_months(d, 2000000)) FROM dates

query error(ArithmeticException)
SELECT add_months(d, 2147483647) FROM dates

query error(ArithmeticException)
SELECT add_months(d, -141000001) FROM dates

query error(ArithmeticException)
SELECT add_months(d, 80000000) FROM dates

query
SELECT add_months(x, 1), x + INTERVAL '1' YEAR FROM empty
