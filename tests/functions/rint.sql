-- rint, of which the even one of two nearest is the result.

query
SELECT rint(d), rint(f), rint(d2), rint(2.5D), rint(CAST(NULL AS DOUBLE)) FROM floats

query
SELECT rint(d), rint(d2), rint(d + 0.5D), rint(d * 4503599627370496D), rint(-0.3D) FROM finite_floats

query
SELECT rint(d) FROM empty
