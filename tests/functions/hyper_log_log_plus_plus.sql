-- approx_count_distinct.

query
SELECT approx_count_distinct(b), approx_count_distinct(s), approx_count_distinct(i), approx_count_distinct(l), approx_count_distinct(f), approx_count_distinct(d), approx_count_distinct(a), approx_count_distinct(w), approx_count_distinct(p), approx_count_distinct(st), approx_count_distinct(bin), approx_count_distinct(x), approx_count_distinct(t), approx_count_distinct(n) FROM everything

query
SELECT g, approx_count_distinct(st), approx_count_distinct(i, 0.1D), approx_count_distinct(l) FILTER (WHERE p), count(*) FROM everything GROUP BY g

query
SELECT d2, approx_count_distinct(d), approx_count_distinct(f) FROM floats GROUP BY d2

-- Small counts are those of empty registers, middle ones are corrected, large ones are not.
table some_numbers
SELECT id AS l, CAST(id % 29 AS INT) AS i, concat(repeat('ab', CAST(id % 40 AS INT)), id % 60) AS s, id % 3 AS k, CAST(id AS DECIMAL(30,2)) * -100000000000000 AS w FROM range(0, 150, 1, 3)

query
SELECT approx_count_distinct(l), approx_count_distinct(i, 0.39D), approx_count_distinct(s, 0.39D), approx_count_distinct(w, 0.39D), approx_count_distinct(l, 0.2D), approx_count_distinct(s, 0.14D) FROM some_numbers

query
SELECT k, approx_count_distinct(l, 0.39D), approx_count_distinct(s) FROM some_numbers GROUP BY k

query
SELECT i, approx_count_distinct(i2) OVER (PARTITION BY b), approx_count_distinct(l2) OVER (PARTITION BY b ORDER BY i2) FROM small_integers

query
SELECT approx_count_distinct(i), approx_count_distinct(s) FROM empty

query
SELECT i, approx_count_distinct(l) FROM empty GROUP BY i
