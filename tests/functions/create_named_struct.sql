-- Structs made of columns and literals, also of those that are null.

query
SELECT named_struct('b', b, 's', s, 'i', i, 'l', l, 'f', f, 'd', d) AS v, struct(a, w, p, st, bin, x, t, n) AS r FROM everything

query
SELECT named_struct('one', 1, 'nothing', NULL, 'i', i) AS v, named_struct('c', 'x', 'd', 1.5) AS c FROM everything

query
SELECT v.i + v.l, v.st, v.deep.f FROM (SELECT named_struct('i', i, 'l', l, 'st', st, 'deep', struct(f, d)) AS v FROM everything)

query
SELECT named_struct('deep', named_struct('a', a, 'x', x)) AS v, count(*) FROM everything GROUP BY 1

query
SELECT CASE WHEN i > 0 THEN struct(i, st) WHEN l > 4 THEN struct(CAST(l % 7 AS INT) AS i, 'l' AS st) END AS v, if(p, struct(1 AS q), struct(i AS q)) AS w, coalesce(if(p, struct(i AS q), NULL), struct(0 AS q)) AS z FROM everything

query
SELECT if(p, struct(1 AS q, st AS r), struct(i AS Q, 'x' AS R)) AS v, coalesce(if(p, struct(i AS q), NULL), struct(0 AS Q)).q AS w FROM everything

query ansi_error(DIVIDE_BY_ZERO)
SELECT if(i <> 0, struct(1 div i AS v), struct(0L AS v)), if(i = 0, struct(1 div i AS v), NULL) FROM integers

query
SELECT if(i <> 0, struct(1 div i AS v), struct(0L AS v)).v, CASE WHEN i = 0 THEN NULL ELSE struct(7 div i AS v) END FROM integers

query
SELECT (SELECT sum(i) FROM integers) + (SELECT max(l) FROM integers), (SELECT count(*) FROM integers)

query
SELECT named_struct('i', i) FROM empty
