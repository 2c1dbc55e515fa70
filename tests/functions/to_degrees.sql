-- Radians as degrees.

query
SELECT degrees(d), degrees(f), degrees(d2), degrees(3.141592653589793D) FROM floats

query
SELECT degrees(d), degrees(d / 7) FROM finite_floats

query
SELECT degrees(d) FROM empty
