-- length of texts and of binary.

query
SELECT length(s), length(p), length(bin), length('äb😀'), length(X'0102'), length('') FROM strings

query
SELECT s FROM strings WHERE length(s) > 2

query
SELECT length(s) FROM empty
