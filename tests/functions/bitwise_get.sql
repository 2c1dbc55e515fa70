-- One bit; positions outside the type are an error in every mode.

query
SELECT getbit(b, 7), bit_get(s, 15), getbit(i, 31), getbit(l, 63), getbit(l, 0), getbit(5, 2) FROM integers

query
SELECT getbit(l, i2 * i2 % 64), getbit(-7L, b2 + 4) FROM small_integers

query error(INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE)
SELECT bit_get(b, 8) FROM integers

query error(INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE)
SELECT bit_get(l, i2) FROM integers

query
SELECT getbit(l, i) FROM empty

query error(INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE)
SELECT getbit(i, 32) FROM integers
