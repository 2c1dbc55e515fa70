-- if.

query
SELECT if(p, 1, 2), if(p, q, NULL), if(CAST(NULL AS BOOLEAN), 'a', 'b'), if(p AND q, 'x', 'y'), if(true, p, q), if(p, 1.5, 2), if(p, 1D, NULL) FROM booleans

query
SELECT if(b > 1, b, i), if(st = 'a', st, 'other'), if(a > 0, a, w), if(d > 1, d, f), if(x > DATE'2000-01-01', x, NULL), if(p, t, NULL), if(p, n, n), if(p, bin, X'') FROM everything

query
SELECT if(i2 = 0, -1, i % i2), if(i2 <> 0, i % i2, -1) FROM integers WHERE i2 IS NOT NULL

query ansi_error(REMAINDER_BY_ZERO|DIVIDE_BY_ZERO)
SELECT if(i2 = 0, i % i2, -1) FROM integers

query
SELECT if(i > 1, i, 0) FROM empty
