-- Digits of bytes and of numbers in other bases.
-- COVERS Hex Unhex Bin Conv

query
SELECT hex(l), hex(i), hex(b), bin(l), bin(s), hex(l2), bin(-1L), hex(CAST(NULL AS BIGINT)) FROM integers

query
SELECT hex(s), hex(bin), hex(p), unhex(hex(s)), unhex(s), unhex(p), CAST(unhex(hex(bin)) AS STRING) FROM strings

table digits_1
SELECT * FROM VALUES ('0f'), ('f'), ('abc'), (''), ('0g'), ('ABCDEF'), ('ä'), (NULL), (' 1') AS t(x)

query
SELECT unhex(x), unhex(upper(x)), unhex(concat(x, 'a')) FROM digits_1

table digits_2
SELECT * FROM VALUES ('0f'), ('f'), ('abc'), (''), (NULL) AS t(x)

query
SELECT to_binary(x, 'hex') FROM digits_2

table digits_3
SELECT * FROM VALUES ('0', 1), ('15', 2), ('-15', -3), (' 7f ', 4), ('zz', 5), ('', 6), (NULL, 7), ('-', 8), ('+1', 9), ('1.5', 10), ('-0', 11), ('ä1', NULL), ('1234567890', -1234), ('FFFFFFFF', 0) AS t(x, i)

query
SELECT conv(x, 10, 16), conv(x, 16, 10), conv(x, 36, 2), conv(x, 2, 36), conv(x, 10, -10), conv(x, 16, -36), conv(i, 10, 2) FROM digits_3

table digits_4
SELECT * FROM VALUES ('9223372036854775807'), ('-9223372036854775807') AS t(x)

query
SELECT conv(x, 10, 16) FROM digits_4

query
SELECT hex(l), bin(l), hex(s), unhex(s), conv(s, 10, 2) FROM empty
