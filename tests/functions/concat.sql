-- concat and ||.

query
SELECT concat(s, p), s || p || s, concat(s), concat('<', s, '>'), s || NULL, 'a' || 'b', concat(s, i), concat('x', i, 'y') FROM strings

query
SELECT concat(s, 'x') FROM empty
