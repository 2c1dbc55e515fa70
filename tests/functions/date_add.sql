-- date_add, and date + days.

query
SELECT date_add(d, n), date_add(d, n8), date_add(d, n16), date_add(d, 30), date_add(d, -1), d + 1, date_add(DATE'2024-02-28', n), date_add(d, NULL), date_add(DATE'2024-02-28', 2) FROM dates

query
SELECT unix_date(date_add(d, 2147483647)), unix_date(date_add(d, -2147483648)) FROM dates

query
SELECT date_add(x, 1) FROM empty
