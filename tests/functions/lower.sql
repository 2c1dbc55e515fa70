-- lower case with Unicode's special mappings.

query
SELECT lower(s), lower(p), lower('Straße ﬁ ǆ'), lower(NULL) FROM strings

query
SELECT s FROM strings WHERE lower(s) = lower('abc')

query
SELECT lower(s) FROM empty
