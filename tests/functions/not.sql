-- The opposite.

query
SELECT NOT p, NOT true, NOT NULL, NOT (p AND q), NOT (p = q) FROM booleans

query
SELECT * FROM booleans WHERE NOT p

query
SELECT NOT i > 2, i <> 3, d <> d FROM empty
