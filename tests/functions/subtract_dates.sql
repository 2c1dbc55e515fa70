-- Dates minus dates.

query
SELECT d - d2, DATE'2021-03-01' - d, d - DATE'0001-01-01' FROM dates

query error(ArithmeticException)
SELECT date_add(d, 2147000000) - d2 FROM dates

query
SELECT x - x FROM empty
