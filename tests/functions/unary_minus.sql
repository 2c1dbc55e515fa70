-- The number with the other sign.

query
SELECT -b, -s, -i, -l, -5, -(-5) FROM small_integers

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT -i FROM integers

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT -l FROM integers

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT -b FROM integers

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT -s FROM integers

query
SELECT -d, -f, -2.5D FROM floats

query
SELECT -a, -m, -w, -1.5 FROM decimals

-- Scala's BigDecimal rounds these to 34 digits, which overflows.
query error(NUMERIC_VALUE_OUT_OF_RANGE)
SELECT -w FROM wide_decimals

query
SELECT -w, -v FROM wide_decimals WHERE w < 1000 AND w > -1000

query
SELECT -v FROM wide_decimals

query
SELECT -i, -d, -m FROM empty
