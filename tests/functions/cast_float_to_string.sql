-- CAST from floats and doubles to string: numbers whose text is the same in all versions of Java.
-- tests/spark/test_random_texts.py has the others.
-- COVERS Cast

table numbers
SELECT d, CAST(d AS FLOAT) AS f FROM VALUES (0D), (-0D), (1D), (-1D), (0.1D), (1.5D), (123456.789D), (0.001D), (0.00099999D), (9999999D), (9999999.999999998D), (1E7D), (-1.0E7D), (12345678.9D), (123456789D), (1E10D), (1E15D), (1E16D), (0.0001D), (1.0E-4D), (1.5E-7D), (3.0000001E-20D),
  (9007199254740991D), (9007199254740992D), (9007199254740994D), (1E26D), (1.2345678901234567E100D), (1.7976931348623157E308D), (2.2250738585072020E-308D), (0.5D), (0.0009765625D), (16777216D), (16777218D), (12345679D), (-98765432D), (3.3333333333D),
  (double('NaN')), (double('Infinity')), (double('-Infinity')), (NULL) AS t(d)

table float_numbers
SELECT CAST(f AS FLOAT) AS f FROM VALUES (0.1), (1.1), (3.4028235E38D), (1.17549449E-38D), (16777217D), (0.001D), (1E7D), (1.0E-10D), (NULL) AS t(f)

table strange_numbers
SELECT d FROM VALUES (2.0E23D), (4.9E-324D), (3.1284092637472636E25D), (2.0107646833859488E-87D), (1D) AS t(d)

query
SELECT d, CAST(d AS STRING), try_cast(d AS STRING) FROM numbers

query
SELECT CAST(f AS STRING), try_cast(f AS DECIMAL(38,5)) FROM numbers WHERE f IS NULL OR isnan(f) OR abs(f) < 9E18

query
SELECT f, CAST(f AS STRING), length(CAST(f AS STRING)), CAST(-1.25F AS STRING) FROM float_numbers

query
SELECT concat(d, '|', f), d || '' FROM numbers WHERE d BETWEEN -100 AND 9.5E6

query
SELECT CAST(CAST(d AS STRING) AS DOUBLE) = d FROM numbers WHERE d < 1E300

query
SELECT try_cast(d AS DECIMAL(38,0)), try_cast(d AS DECIMAL(20,1)), try_cast(d AS DECIMAL(38,30)), try_cast(d AS DECIMAL(10,2)) FROM numbers

query
SELECT CAST(d AS STRING) FROM empty

query replay
SELECT CAST(d AS STRING) FROM strange_numbers
