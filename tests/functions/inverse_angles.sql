-- Inverse trigonometric functions of columns and of literals.
-- COVERS Asin Acos Atan Atan2

query
SELECT asin(d), acos(d), atan(d), atan2(d, d2), asin(f), acos(f), atan(f), atan2(f2, f), atan2(d, 1), atan2(-0D, d), asin(2D) FROM floats

query
SELECT asin(d / 3), acos(d / 3), atan(d), atan2(d, d2), atan2(d2, d), asin(d * 0.0078D), acos(d * 0.0078D), atan(d / 100) FROM finite_floats

query
SELECT asin(i), acos(b), atan(l), atan2(i, l) FROM small_integers

query
SELECT asin(d), acos(d), atan(d), atan2(d, d) FROM empty
