-- Searching in strings with literals, and replacing.
-- COVERS StringLocate StringInstr StringReplace Overlay SubstringIndex SplitPart FindInSet

query
SELECT locate('b', s), locate('a', s, 2), locate('', s, i), locate('語', s), locate('b', s, i), position('ß' IN s), instr(s, 'b'), instr(s, ''), locate('b', s, NULL), locate('b', 'abcb', i), instr(s, '😀b') FROM strings

query
SELECT replace(s, 'a', 'xyz'), replace(s, 'bc'), replace(s, '', 'x'), replace(s, 'ß', '😀'), replace(s, 'aa', 'b'), find_in_set(s, 'abc,ABC,,a'), find_in_set(s, ''), find_in_set('ab', 'abc,b,ab') FROM strings

query
SELECT overlay(s PLACING p FROM 2), overlay(s PLACING 'XY' FROM i), overlay(s PLACING p FROM 1 FOR i), overlay('Spark SQL' PLACING p FROM i FOR i), overlay(s PLACING '日本' FROM -2 FOR 1) FROM strings WHERE i IS NULL OR i BETWEEN -100 AND 5

query replay
SELECT overlay(s PLACING 'XY' FROM i), overlay(s PLACING p FROM 1 FOR i), overlay('Spark SQL' PLACING p FROM i FOR i) FROM strings

query
SELECT substring_index(s, 'b', 1), substring_index(s, 'x', -1), substring_index(s, 'xx', 2), substring_index(s, ' ', 0), substring_index(s, '', 1), substring_index(s, 'ß', -2), substring_index(concat(s, 'aaa', s), 'aa', 2), substring_index(concat(s, 'aaa', s), 'aa', -2) FROM strings

query
SELECT split_part(s, 'b', 1), split_part(s, 'x', 2), split_part(s, 'xx', -1), split_part(s, '', 1), split_part(s, '', -2), split_part(concat(s, '.+', p, '.+aaa'), '.+', 2), split_part(concat(s, 'aaa'), 'aa', 2) FROM strings

query
SELECT split_part(concat(s, ',', s), ',', CASE WHEN i IS NULL THEN NULL WHEN i = 0 THEN 7 WHEN i = -2147483648 THEN -1 ELSE i END) FROM strings

query error(INVALID_INDEX_OF_ZERO)
SELECT split_part(s, ',', i) FROM strings

query fallback(argument 1 of locate must be a literal)
SELECT locate(p, s) FROM strings

query
SELECT locate('a', s), instr(s, 'a'), replace(s, 'a', 'b'), overlay(s PLACING 'a' FROM i), substring_index(s, 'a', 1), split_part(s, 'a', 1), find_in_set(s, 'a') FROM empty
