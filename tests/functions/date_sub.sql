-- date_sub, and date - days.

query
SELECT date_sub(d, n), date_sub(d, n8), date_sub(d, n16), date_sub(d, 30), date_sub(d, -1), d - 1, date_sub(DATE'2024-02-28', n), date_sub(d, NULL), date_sub(DATE'2024-02-28', 2) FROM dates

query
SELECT unix_date(date_sub(d, 2147483647)), unix_date(date_sub(d, -2147483648)) FROM dates

query
SELECT date_sub(x, 1) FROM empty
