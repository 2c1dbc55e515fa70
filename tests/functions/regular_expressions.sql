-- Regular expressions as literals, which RE2 reads like Java.
-- COVERS RLike RegExpExtract RegExpReplace RegExpExtractAll RegExpInStr

query
SELECT s RLIKE 'b', s RLIKE '^a', s RLIKE 'c$', s RLIKE '[a-cß]{2,}', s RLIKE '(?i)ABC', s RLIKE '\\d+%|_', s RLIKE '.b.', s RLIKE '[^a-z]', s RLIKE '', s RLIKE '\\s\\S', s RLIKE '(?s)e.b', s RLIKE 'e.b', s RLIKE '😀?b', s RLIKE '\\p{Upper}' FROM strings

query
SELECT regexp_extract(s, '(a)(b)?', 2), regexp_extract(s, '([a-z]+?)(.)', 2), regexp_extract(s, '\\w+', 0), regexp_extract(s, '(x*)b', 1), regexp_extract(s, '(?<one>.)$', 1), regexp_substr(s, '[b-ß]+') FROM strings

query
SELECT regexp_replace(s, '[ab]', '-'), regexp_replace(s, '(.)(.)', '$2$1'), regexp_replace(s, '\\s+', ''), regexp_replace(s, 'ß|😀', '\\$x\\\\'), regexp_replace(s, '^.', '[$0]') FROM strings

query fallback(a possessive repetition)
SELECT s RLIKE 'a*+b' FROM strings

query fallback(a group with ?)
SELECT s RLIKE 'a(?=b)' FROM strings

query fallback(it matches an empty text)
SELECT regexp_replace(s, 'a*', 'x') FROM strings

query fallback(argument 2 of rlike must be a literal)
SELECT s RLIKE p FROM strings

query
SELECT s RLIKE 'a+', regexp_extract(s, '(a)', 1), regexp_replace(s, 'a+', 'b') FROM empty

query
SELECT regexp_extract_all(s, '(a)(b)?', 2), regexp_extract_all(s, '[a-z]', 0), regexp_extract_all(s, '(.)(.)'), regexp_count(s, '[ab]'), regexp_count(s, '^a'), regexp_count(s, 'ß|😀'), regexp_extract_all(CAST(NULL AS STRING), 'a', 0) FROM strings

query
SELECT regexp_instr(s, 'b'), regexp_instr(s, '^a'), regexp_instr(s, '.b.'), regexp_instr(s, ''), regexp_instr(s, 'x*b'), regexp_instr(s, 'b|ß', 0) FROM strings WHERE NOT contains(s, '😀')

query fallback(it matches an empty text)
SELECT regexp_count(s, 'a*') FROM strings

query
SELECT regexp_extract_all(s, 'a', 0), regexp_instr(s, 'a'), regexp_count(s, 'a') FROM empty
