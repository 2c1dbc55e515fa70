-- The bucket of a histogram, ascending and descending.

query
SELECT width_bucket(d, d2, 10D, 5), width_bucket(d, 10D, d2, 5), width_bucket(d2, -1D, 1D, 3), width_bucket(f, f2, 2, 4) FROM floats

query
SELECT width_bucket(d, d2, 100D, 7), width_bucket(d, 100D, d2, 7), width_bucket(d, -100D, 100D, 1000), width_bucket(1.5D, d, d2, 10) FROM finite_floats

query
SELECT width_bucket(i, -10D, 10D, l), width_bucket(b, 100D, -100D, l2), width_bucket(5, 0, 10, 0), width_bucket(5, 0, 10, 9223372036854775807L) FROM integers

query
SELECT width_bucket(d, 0D, 10D, l) FROM empty
