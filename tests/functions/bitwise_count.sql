-- The bits that are set.

query
SELECT bit_count(b), bit_count(s), bit_count(i), bit_count(l), bit_count(l2), bit_count(0), bit_count(-1L) FROM integers

query
SELECT bit_count(p), bit_count(true) FROM booleans

query
SELECT bit_count(l) FROM empty
