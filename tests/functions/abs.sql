-- Magnitude of a number.

query
SELECT abs(b), abs(s), abs(i), abs(l), abs(5), abs((-5)) FROM small_integers

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT abs(i) FROM integers

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT abs(l) FROM integers

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT abs(b) FROM integers

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT abs(s) FROM integers

query
SELECT abs(d), abs(f), abs(2.5D) FROM floats

query
SELECT abs(a), abs(m), abs(w), abs(1.5) FROM decimals

-- Scala's BigDecimal rounds these to 34 digits, which overflows.
query error(NUMERIC_VALUE_OUT_OF_RANGE)
SELECT abs(w) FROM wide_decimals

query
SELECT abs(w), abs(v) FROM wide_decimals WHERE w < 1000 AND w > -1000

query
SELECT abs(v) FROM wide_decimals

query
SELECT abs(i), abs(d), abs(m) FROM empty
