-- count_min_sketch, whose bytes Spark's CountMinSketch reads.

query
SELECT count_min_sketch(b, 0.5D, 0.5D, 1), count_min_sketch(s, 0.3D, 0.9D, -1), count_min_sketch(i, 0.1D, 0.95D, 42), count_min_sketch(l, 0.01D, 0.99D, 2147483647), count_min_sketch(st, 0.2D, 0.9D, 0), count_min_sketch(bin, 0.3D, 0.8D, 7) FROM everything

query
SELECT g, count_min_sketch(st, 0.4D, 0.9D, 3), count_min_sketch(l, 0.4D, 0.9D, 3) FILTER (WHERE p), count(*) FROM everything GROUP BY g

query
SELECT i % 3, count_min_sketch(s, 0.3D, 0.99D, 11), count_min_sketch(DISTINCT p, 0.3D, 0.5D, 11) FROM strings GROUP BY i % 3

query
SELECT i, hex(count_min_sketch(i2, 0.5D, 0.5D, 1) OVER (PARTITION BY b)) FROM small_integers

query
SELECT count_min_sketch(i, 0.5D, 0.5D, 1), count_min_sketch(s, 0.5D, 0.9D, 1) FROM empty

query
SELECT i, count_min_sketch(l, 0.5D, 0.5D, 1) FROM empty GROUP BY i
