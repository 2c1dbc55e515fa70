-- The second value where the first is NaN.

query
SELECT nanvl(f, f2), nanvl(d, d2), nanvl(f, d2), nanvl(d, 1), nanvl(2.5D, d), nanvl(d, NULL), nanvl(NULL, d) FROM floats

query
SELECT nanvl(d, 1.5D) FROM empty
