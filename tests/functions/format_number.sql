-- format_number: half even, as java.text.DecimalFormat.

table amounts
SELECT d, CAST(d AS FLOAT) AS f FROM VALUES (0.0D), (-0.0D), (1.5D), (2.5D), (-2.5D), (0.125D), (0.375D), (1.005D), (-0.001D), (999.995D), (9999999.999D), (1234567.891D), (-999999.5D), (0.1D), (100D), (double('NaN')), (double('Infinity')), (double('-Infinity')), (1e-300D), (0.5D), (1.5000000000000002D), (0.000244140625D), (NULL) AS t(d)

query
SELECT format_number(d, 0), format_number(d, 1), format_number(d, 2), format_number(d, 3), format_number(d, 7), format_number(f, 2), format_number(f, 0), format_number(d, -1) FROM amounts

query
SELECT format_number(b, 0), format_number(s, 2), format_number(i, 2), format_number(i, 0), format_number(i2, 9), format_number(b, -1) FROM integers

query
SELECT format_number(l, 2), format_number(l, 0) FROM integers WHERE l > -9223372036854775808

query
SELECT format_number(a, 0), format_number(a, 1), format_number(a, 2), format_number(a, 5), format_number(m, 2), format_number(m, 3), format_number(1234.5BD, 0), format_number(a2, 1) FROM decimals

query replay
SELECT format_number(d, 2), format_number(f, 1) FROM floats

query replay
SELECT format_number(w, 2) FROM wide_decimals

query fallback(not supported for arguments)
SELECT format_number(d, '##.#') FROM amounts

query
SELECT format_number(d, 2), format_number(i, 1), format_number(m, 1) FROM empty
