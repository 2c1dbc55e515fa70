-- contains, and LIKE patterns that become it.

query
SELECT contains(s, p), contains(s, 'a'), contains(s, ''), contains('abc', p), contains('abc', 'c'), contains(s, NULL), contains(s, 'ß'), contains(s, '😀b') FROM strings

query
SELECT s LIKE 'a%', s LIKE '%c', s LIKE '%b%', s LIKE '%テ%', s NOT LIKE 'a%' FROM strings

query
SELECT s, p FROM strings WHERE contains(s, p)

query
SELECT contains(s, 'a') FROM empty
