-- Trigonometric functions of columns and of literals.
-- COVERS Sin Cos Tan Cot Sec Csc

query
SELECT sin(d), cos(d), tan(d), cot(d), sec(d), csc(d), sin(f), cos(f2), tan(f), sin(CAST(NULL AS DOUBLE)) FROM floats

query
SELECT sin(d), cos(d), tan(d), cot(d2), sec(d2), csc(d2), sin(d * 1e15D), cos(d / 1e12D), tan(d * 1e-200D) FROM finite_floats

query
SELECT sin(i), cos(b), tan(l), cot(i), sec(l), csc(s) FROM small_integers

query
SELECT sin(d), cos(d), tan(d), cot(d), sec(d), csc(d) FROM empty
