-- bit_length of texts and of binary.

query
SELECT bit_length(s), bit_length(p), bit_length(bin), bit_length('äb😀'), bit_length(X'0102'), bit_length('') FROM strings

query
SELECT s FROM strings WHERE bit_length(s) > 2

query
SELECT bit_length(s) FROM empty
