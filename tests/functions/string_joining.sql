-- Strings made of several values, or one of them.
-- COVERS ConcatWs Elt

query
SELECT concat_ws(',', s, p), concat_ws(p, s, s, 'x'), concat_ws('-', s), concat_ws(','), concat_ws(NULL, s, p), concat_ws('😀', NULL, p, s, NULL), concat_ws(p) FROM strings

query
SELECT concat_ws(',', words), concat_ws('-', words, r.s, words), concat_ws(r.s, words) FROM nested

query ansi_error(INVALID_ARRAY_INDEX)
SELECT elt(i, s, p, 'c'), elt(2, s, p), elt(NULL, s, p), elt(1, bin, X'00'), elt(i, bin) FROM strings

query
SELECT elt(CASE WHEN i IN (1, 2) THEN i ELSE NULL END, s, p), elt(1, bin, X'00') FROM strings

query
SELECT concat_ws(',', s, s), elt(1, s, s) FROM empty
