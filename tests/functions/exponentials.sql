-- Powers, exponential and hyperbolic functions of columns and of literals.
-- COVERS Exp Expm1 Pow Cbrt Hypot Sinh Cosh Tanh

query
SELECT exp(d), exp(f), exp(d2), expm1(d), expm1(d2), exp(1000D), exp(-746D), expm1(CAST(NULL AS DOUBLE)) FROM floats

query
SELECT exp(d), expm1(d), exp(d2), expm1(d2), exp(d / 100), expm1(d / 1000) FROM finite_floats

query
SELECT exp(i), expm1(l), exp(b) FROM small_integers

query
SELECT pow(d, d2), pow(d2, d), pow(f, f2), pow(d, 2), pow(d, 0.5D), pow(2D, d), pow(d, -1D), pow(-1D, d2) FROM floats

query
SELECT pow(d, d2), pow(abs(d), d2 / 7), pow(d, 3), pow(1.0000001D, d * 1e9), power(d2, 1e300D) FROM finite_floats

query
SELECT pow(i, 2), pow(2, b), pow(l, s) FROM small_integers

query
SELECT cbrt(d), cbrt(d2), cbrt(f), hypot(d, d2), hypot(f, f2), hypot(d, 1e300D), hypot(1e-310D, d) FROM floats

query
SELECT cbrt(d), cbrt(d * 1e200D), hypot(d, d2), hypot(d * 1e160D, d2), hypot(d * 1e-170D, d2 * 1e-165D) FROM finite_floats

query
SELECT sinh(d), cosh(d), tanh(d), sinh(f), cosh(f), tanh(f), sinh(710D), tanh(CAST(NULL AS DOUBLE)) FROM floats

query
SELECT sinh(d), cosh(d), tanh(d), sinh(d2), cosh(d2), tanh(d2), sinh(d / 1000), cosh(d / 1000), tanh(d / 1000) FROM finite_floats

query
SELECT exp(d), pow(d, d), cbrt(d), hypot(d, 1), sinh(d) FROM empty
