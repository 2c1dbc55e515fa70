-- Logarithms of columns and of literals; null outside of their domains.
-- COVERS Log Log2 Log10 Log1p Logarithm Atanh Asinh Acosh

query
SELECT ln(d), log2(d), log10(d), log1p(d), log(d, d2), atanh(d), ln(f), log10(f), ln(-1D), log1p(-1D), log2(0), log(2, d) FROM floats

query
SELECT ln(d), log2(d), log10(d), log1p(d), log(abs(d), abs(d2)), log(d, 3), log(10, d), atanh(d), atanh(d / 200000) FROM finite_floats

query
SELECT log1p(d / 1e6D), log1p(d * 1e-9D), log1p(-abs(d) / 123457), ln(1 + d / 1e7D) FROM finite_floats

query
SELECT ln(i), log2(l), log10(i), log1p(b), log(b, i) FROM integers

query
SELECT ln(d), log(d, d) FROM empty

query
SELECT asinh(d), acosh(d), asinh(f), acosh(abs(d) + 1), asinh(-d * 1e9D), asinh(d * 1e100D), acosh(d2), asinh(d / 1e9D) FROM finite_floats

query
SELECT asinh(d), acosh(d), asinh(double('-Infinity')) FROM floats WHERE isnan(d) OR abs(d) < 1e100 OR abs(d) = double('Infinity')

query replay
SELECT asinh(d), acosh(d) FROM floats
