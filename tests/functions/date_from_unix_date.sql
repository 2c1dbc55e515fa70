-- date_from_unix_date.

query
SELECT date_from_unix_date(n), date_from_unix_date(1) FROM dates

query
SELECT date_from_unix_date(i) FROM empty
