-- Three-valued AND.

query
SELECT p AND q, p AND true, p AND false, p AND NULL, true AND NULL, false AND NULL FROM booleans

query
SELECT * FROM booleans WHERE p AND q

-- The right side is evaluated only where the left one leaves it open.
query
SELECT i2 <> 0 AND i % i2 = 1, NOT i2 IS NULL AND i < 3 FROM integers WHERE i2 IS NOT NULL

query
SELECT p AND p, i > 1 AND d > 1 FROM empty
