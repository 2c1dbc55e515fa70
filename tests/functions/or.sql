-- Three-valued OR.

query
SELECT p OR q, p OR true, p OR false, p OR NULL, true OR NULL, false OR NULL FROM booleans

query
SELECT * FROM booleans WHERE p OR q

-- The right side is evaluated only where the left one leaves it open.
query
SELECT i2 = 0 OR i % i2 = 1, i2 IS NULL OR i < 3 FROM integers WHERE i2 IS NOT NULL

query
SELECT p OR p, i > 1 OR d > 1 FROM empty
