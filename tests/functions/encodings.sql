-- Base64, form encoding and character sets.
-- COVERS Base64.encode UnBase64 UrlCodec.encode UrlCodec.decode Encode.encode StringDecode.decode

query
SELECT base64(bin), base64(s), unbase64(base64(bin)), base64(CAST(repeat(s, 40) AS BINARY)), unbase64(base64(CAST(repeat(s, 40) AS BINARY))) FROM strings

table encodings_1
SELECT * FROM VALUES ('U3Bhcms=', 'QUJD'), ('U3 Bh cms=', ''), ('U3Bhcms', 'AAAA'), ('', '/+8B'), (NULL, NULL), ('QQ', 'QQFB') AS t(x, y)

query
SELECT unbase64(x), to_binary(concat(y, y), 'base64') FROM encodings_1

query since=4.0
SELECT url_encode(s), url_encode(p), url_decode(url_encode(s)), try_url_decode(url_encode(s)), url_encode('a b*c~d-e_f.g/ä') FROM strings

table encodings_2
SELECT * FROM VALUES ('a+b'), ('%41%C3%a4'), (''), (NULL), ('~*') AS t(x)

query since=4.0
SELECT url_decode(x), try_url_decode(x) FROM encodings_2

query
SELECT encode(s, 'utf-8'), encode(s, 'UTF-16'), encode(s, 'UTF-16BE'), encode(s, 'utf-16le'), encode(s, 'UTF-32'), to_binary(s, 'utf-8') FROM strings

table encodings_3
SELECT * FROM VALUES ('a'), (''), (NULL), ('xyz') AS t(x)

query
SELECT encode(x, 'US-ASCII'), encode(x, 'iso-8859-1'), encode('a', 'UTF-16') FROM encodings_3

query
SELECT decode(bin, 'utf-8'), decode(encode(s, 'UTF-16'), 'UTF-16'), decode(encode(s, 'UTF-16LE'), 'UTF-16LE'), decode(encode(s, 'UTF-32'), 'UTF-32'), decode(bin, 'ISO-8859-1') FROM strings

table encodings_4
SELECT * FROM VALUES (X'0041', X'41'), (X'', X''), (NULL, NULL), (X'FEFF0041', X'7F'), (X'D83DDE00', X'00') AS t(x, y)

query
SELECT decode(x, 'UTF-16'), decode(x, 'UTF-16BE'), decode(y, 'US-ASCII') FROM encodings_4

table encodings_5
SELECT * FROM VALUES ('a'), (NULL) AS t(x)

query
SELECT decode(encode(x, 'UTF-16LE'), 'UTF-16LE'), decode(unhex('FFFE4100'), 'UTF-16'), encode(x, 'US-ASCII') FROM encodings_5

query
SELECT base64(CAST(s AS BINARY)), unbase64(s), url_encode(s), url_decode(s), encode(s, 'UTF-16'), decode(CAST(s AS BINARY), 'UTF-16') FROM empty
