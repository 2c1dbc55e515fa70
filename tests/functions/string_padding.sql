-- Functions that make strings longer.
-- COVERS StringLPad StringRPad StringRepeat StringSpace

query
SELECT lpad(s, 5, 'x'), rpad(s, 5, 'é😀'), lpad(s, 3), rpad(s, 12), lpad(s, 0, 'a'), lpad(s, -1, 'a'), rpad(s, 4, ''), lpad(s, 7, 'abc'), lpad(s, NULL, 'a'), lpad('äö', 5, '😀') FROM strings

query
SELECT lpad(s, i, 'xy'), rpad(s, i, 'é'), rpad('äö', i, '-'), repeat(s, i), repeat('ab', i), repeat(s, 2), repeat(s, -1), repeat(s, NULL), space(i), concat(space(2), s) FROM strings WHERE i IS NULL OR i < 100

query
SELECT lpad(s, i, 'a'), repeat(s, i), space(i) FROM empty

query
SELECT if(i > 1, repeat(s, i), s), CASE WHEN i > 0 THEN space(i) WHEN i IS NULL THEN repeat(s, 2) END, coalesce(repeat(s, if(i > 2, i, NULL)), space(3)), s = 'a' AND repeat(s, i) = 'aaa' FROM strings WHERE i IS NULL OR i < 100
