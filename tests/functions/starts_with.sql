-- startswith, and LIKE patterns that become it.

query
SELECT startswith(s, p), startswith(s, 'a'), startswith(s, ''), startswith('abc', p), startswith('abc', 'c'), startswith(s, NULL), startswith(s, 'ß'), startswith(s, '😀b') FROM strings

query
SELECT s LIKE 'a%', s LIKE '%c', s LIKE '%b%', s LIKE '%テ%', s NOT LIKE 'a%' FROM strings

query
SELECT s, p FROM strings WHERE startswith(s, p)

query
SELECT startswith(s, 'a') FROM empty
