-- trunc with literal units.

query
SELECT trunc(d, 'week'), trunc(d, 'month'), trunc(d, 'MON'), trunc(d, 'mm'), trunc(d, 'quarter'), trunc(d, 'YEAR'), trunc(d, 'yyyy'), trunc(d, 'yy'), trunc(DATE'2019-08-04', 'Week') FROM dates

query fallback(trunc)
SELECT trunc(d, 'day') FROM dates

query
SELECT trunc(x, 'year') FROM empty
