-- bround to digits after the point and before it: to the even one of two at a tie.

table ties
SELECT * FROM VALUES (1.005D), (1.015D), (2.675D), (0.285D), (1.025D), (0.125D), (0.5D), (1.5D), (2.5D), (0.49999999999999994D), (4503599627370497.5D), (1e22D), (123456789012345.675D), (999999999999999.95D), (25D), (35.5D), (-25D), (25.0000001D), (NULL) AS t(x)

table decimal_ties
SELECT * FROM VALUES (0.25BD), (0.35BD), (2.50BD), (3.50BD), (25.00BD), (35.00BD), (25.01BD), (NULL) AS t(x)

query
SELECT bround(d), bround(d, 1), bround(d, 2), bround(d2, 0), bround(d, 9), bround(f, 1) FROM finite_floats

query
SELECT bround(d), bround(d, 3), bround(f), bround(f2, 2) FROM floats

query
SELECT bround(x, 2), bround(-x, 2), bround(x * 10, 1), bround(x), bround(x, 3), bround(x, 9) FROM ties

query
SELECT bround(x, -1), bround(-x, -1), bround(x, -2), bround(x, -18) FROM ties WHERE x < 1e15D

query
SELECT bround(b), bround(s, 2), bround(b, -1), bround(s, -2), bround(i, -1), bround(l, -1), bround(l, -3) FROM small_integers

query
SELECT bround(a), bround(a, 1), bround(m, 3), bround(m, 9), bround(w, 2), bround(a2, 2), bround(a, -1), bround(m, -3), bround(a, -18) FROM decimals

query
SELECT bround(x, 1), bround(x, 0), bround(-x, 1), bround(x, -1), bround(x * 10, -1) FROM decimal_ties

query
SELECT bround(d, 2), bround(m, 1), bround(i, 1), bround(i, -1) FROM empty

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT bround(b, -1), bround(s, -1), bround(i, -1), bround(l, -1), bround(l, -18) FROM integers

query replay
SELECT bround(d, -1) FROM floats
