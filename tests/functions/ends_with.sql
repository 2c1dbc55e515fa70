-- endswith, and LIKE patterns that become it.

query
SELECT endswith(s, p), endswith(s, 'a'), endswith(s, ''), endswith('abc', p), endswith('abc', 'c'), endswith(s, NULL), endswith(s, 'ß'), endswith(s, '😀b') FROM strings

query
SELECT s LIKE 'a%', s LIKE '%c', s LIKE '%b%', s LIKE '%テ%', s NOT LIKE 'a%' FROM strings

query
SELECT s, p FROM strings WHERE endswith(s, p)

query
SELECT endswith(s, 'a') FROM empty
