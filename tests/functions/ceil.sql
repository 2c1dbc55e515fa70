-- ceil of doubles, longs and decimals.

query
SELECT ceil(d), ceil(f), ceil(d2), ceil(-0.1D), ceil(d * 0.01D) FROM floats

query
SELECT ceil(d), ceil(f), ceil(d2 * 1000000000000000D + 0.5D) FROM finite_floats

query
SELECT ceil(l), ceil(i), ceil(b), ceil(l2) FROM integers

query
SELECT ceil(a), ceil(m), ceil(w), ceil(a2), ceil(w2) FROM decimals

query
SELECT ceil(z), ceil(v) FROM wide_decimals

query replay
SELECT ceil(w) FROM wide_decimals

query
SELECT ceil(d), ceil(m), ceil(l) FROM empty
