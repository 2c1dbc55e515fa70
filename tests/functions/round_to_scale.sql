-- ceil and floor with a scale.
-- COVERS RoundCeil RoundFloor

query
SELECT ceil(a, 1), floor(a, 1), ceil(m, 3), floor(m, 0), ceil(w, 2), floor(w, 2), ceil(a2, 2), floor(a, 9), ceil(a, -1), floor(m, -2) FROM decimals

query
SELECT ceil(d, 1), floor(d, 2), ceiling(d2, 0), floor(f, 3) FROM finite_floats

query
SELECT ceil(i, -1), floor(i, -2), floor(s, 1), ceil(l, -3) FROM small_integers

query fallback(ceil)
SELECT ceil(a, 10) FROM decimals

query
SELECT ceil(m, 1), floor(d, 1) FROM empty
