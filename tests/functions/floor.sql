-- floor of doubles, longs and decimals.

query
SELECT floor(d), floor(f), floor(d2), floor(-0.1D), floor(d * 0.01D) FROM floats

query
SELECT floor(d), floor(f), floor(d2 * 1000000000000000D + 0.5D) FROM finite_floats

query
SELECT floor(l), floor(i), floor(b), floor(l2) FROM integers

query
SELECT floor(a), floor(m), floor(w), floor(a2), floor(w2) FROM decimals

query
SELECT floor(z), floor(v) FROM wide_decimals

query replay
SELECT floor(w) FROM wide_decimals

query
SELECT floor(d), floor(m), floor(l) FROM empty
