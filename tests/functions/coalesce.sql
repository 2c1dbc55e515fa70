-- coalesce, nvl, ifnull, nvl2, nullif.

query
SELECT coalesce(b, s, i, l), coalesce(st, 'none'), coalesce(d, f, 0), coalesce(a, w, 1), coalesce(p, true), coalesce(x, DATE'2000-01-01'),
  coalesce(t, TIMESTAMP'2000-01-01 00:00:00Z'), coalesce(n, n), coalesce(bin, X'AA'), coalesce(NULL, i), coalesce(NULL, NULL, 5) FROM everything

query since=4.0
SELECT nvl(i, 1), ifnull(st, ''), nvl2(i, st, 'x'), nullif(i, 1), nullif(st, 'a'), zeroifnull(i), nullifzero(i) FROM everything

-- The second is evaluated only where the first is null.
query
SELECT coalesce(i2, i % i2) FROM integers

query ansi_error(REMAINDER_BY_ZERO|DIVIDE_BY_ZERO)
SELECT coalesce(NULL, i % i2) FROM integers WHERE i2 = 0

query
SELECT coalesce(i, 1), coalesce(s, '') FROM empty
