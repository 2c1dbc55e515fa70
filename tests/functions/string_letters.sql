-- Functions of single characters, and of strings letter by letter.
-- COVERS InitCap Reverse StringTranslate Mask Ascii Chr SoundEx ExpressionImplUtils.quote

table soundex_names
SELECT * FROM VALUES ('Robert'), ('Rupert'), ('Tymczak'), ('Pfister'), ('Honeyman'), ('Ashcraft'), ('hWhwBfp'), ('a-b-b'), ('Éa'), ('O''Hara ''s'), ('ǆ Ǆ ŉa İx ΌΣ'), (NULL) AS t(x)

query since=4.0
SELECT initcap(s), reverse(s), ascii(s), soundex(s), quote(s), mask(s), translate(s, 'abcßΣ ', 'xy😀'), initcap(concat(if(s > 'a', 'ο ', ''), 'ΣΑΣ ΟΔΟΣ, ')) FROM strings

-- The small letter of a sigma next to characters that are no letters is Spark's.
query replay
SELECT initcap(concat(p, ' ', s, 'ΣΑΣ ')) FROM strings

query
SELECT mask(s, 'Q', 'q', 'd', 'o'), mask(s, NULL, 'é', NULL, '日'), mask(s, 'A', NULL, '0', NULL), translate(s, 'ab', ''), translate(s, '', 'x'), translate(s, 'aab', 'éöü'), translate(s, 'ab', 'x\0'), mask(s, '😀', '😀', '😀', '😀') FROM strings

query
SELECT chr(i), chr(i2), chr(l), ascii(chr(l)), initcap(CAST(i AS STRING)) FROM integers

query since=4.0
SELECT soundex(x), quote(x), initcap(x), reverse(x) FROM soundex_names

query since=4.0
SELECT initcap(s), reverse(s), ascii(s), soundex(s), quote(s), mask(s), translate(s, 'a', 'b'), chr(l) FROM empty
