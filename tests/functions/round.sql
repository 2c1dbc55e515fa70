-- round to digits after the point, away from zero at a tie; of doubles by their decimal text.

table ties
SELECT * FROM VALUES (1.005D), (1.015D), (2.675D), (0.285D), (1.025D), (0.125D), (0.5D), (1.5D), (2.5D), (0.49999999999999994D), (4503599627370497.5D), (9007199254740993D), (1e22D), (123456789012345.675D), (999999999999999.95D), (NULL) AS t(x)

query
SELECT round(d), round(d, 1), round(d, 2), round(d2, 0), round(d, 9) FROM floats

query
SELECT round(d), round(d, 1), round(d * 0.01D, 2), round(d2 / 3, 3), round(d * 1e13D, 2), round(d * 1e12D / 7, 5) FROM finite_floats

query
SELECT round(x, 2), round(-x, 2), round(x * 10, 1), round(x), round(x, 3), round(x, 9) FROM ties

query
SELECT round(b), round(s, 2), round(i, 0), round(l, 3) FROM integers

query
SELECT round(a), round(a, 1), round(m, 3), round(m, 9), round(w, 2), round(a2, 2) FROM decimals

query
SELECT round(w, 3), round(v), round(z, 2), round(w) FROM wide_decimals

query
SELECT round(i, -1), round(b, -1), round(s, -2), round(l, -3), round(l, -18), round(b, -3) FROM small_integers

query
SELECT round(a, -1), round(m, -3), round(w, -1), round(a, -9), round(w, -18) FROM decimals

query
SELECT round(d, -1), round(d, -2), round(f, -1), round(f, 2), round(f2, 1), round(f * 3.3F, 3), round(d, -18) FROM finite_floats

query
SELECT round(x, -1), round(-x, -1), round(x, -2) FROM ties WHERE x < 1e15D

query fallback(round)
SELECT round(i, -19) FROM small_integers

query fallback(round)
SELECT round(d, 10) FROM finite_floats

query
SELECT round(d, 2), round(m, 1), round(i, 1), round(i, -1) FROM empty

query replay
SELECT round(d, -1) FROM floats

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT round(b, -1), round(s, -1), round(i, -1), round(l, -1), round(l, -18) FROM integers
