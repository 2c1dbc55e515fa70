-- octet_length of texts and of binary.

query
SELECT octet_length(s), octet_length(p), octet_length(bin), octet_length('äb😀'), octet_length(X'0102'), octet_length('') FROM strings

query
SELECT s FROM strings WHERE octet_length(s) > 2

query
SELECT octet_length(s) FROM empty
