-- Functions whose errors are nulls.

query
SELECT try_add(d, make_dt_interval(n)), try_add(d, INTERVAL 1 DAY), try_subtract(d, INTERVAL 100 YEAR) FROM dates

query
SELECT try_multiply(INTERVAL 500 DAY, l), try_multiply(INTERVAL 5 DAY, i), try_multiply(i, INTERVAL '1' SECOND) FROM integers

query
SELECT try_multiply(INTERVAL 50 DAY, 9223372036854775807L + i * 0), i FROM small_integers

query
SELECT try_divide(INTERVAL 5 DAY, i), try_divide(INTERVAL 5 MONTH, l), try_multiply(INTERVAL 7 YEAR, i) FROM integers

query
SELECT try_to_binary(p, 'hex'), try_to_binary(s, 'utf-8') FROM strings

query
SELECT try_divide(INTERVAL 5 DAY, i) FROM empty
