-- The bits that an integer does not have.

query
SELECT ~b, ~s, ~i, ~l, ~(b2 & 3Y), ~5, ~0L FROM integers

query
SELECT sum(~i), max(~l) FROM small_integers GROUP BY ~b

query
SELECT ~i, ~l FROM empty
