-- LIKE ALL and LIKE ANY, also with NOT and with a null among the patterns.
-- COVERS LikeAll NotLikeAll LikeAny NotLikeAny

query
SELECT s LIKE ALL ('a%', '%_c'), s LIKE ANY ('a_c', '_b%', '%ß_'), s NOT LIKE ALL ('a%', '_'), s NOT LIKE ANY ('a%', '%_c') FROM strings

query
SELECT s LIKE ALL ('a_%', NULL), s LIKE ANY ('a_c', NULL), s NOT LIKE ALL ('a_%', NULL), s NOT LIKE ANY ('a%_', NULL), s LIKE SOME ('%\\%_', '_%\\__%') FROM strings

query
SELECT s FROM strings WHERE s LIKE ANY ('_b%', '%a_b%c%')

query
SELECT s LIKE ALL ('_a', 'b_') FROM empty
