-- first and first IGNORE NULLS; the tables have one file, so that rows have an order.

query
SELECT first(b), first(s), first(i), first(l), first(f), first(d), first(a), first(w), first(p), first(st), first(bin), first(x), first(t), first(n) FROM everything

-- Spark sorts by the key for types whose buffers it cannot change in place: any order of rows, so not tested here.
query
SELECT g, first(b), first(s), first(i), first(l), first(f), first(d), first(a), first(p), first(x), first(t), first(n) FROM everything GROUP BY g

query
SELECT first(b) IGNORE NULLS, first(s) IGNORE NULLS, first(i) IGNORE NULLS, first(l) IGNORE NULLS, first(f) IGNORE NULLS, first(d) IGNORE NULLS, first(a) IGNORE NULLS, first(w) IGNORE NULLS, first(p) IGNORE NULLS, first(st) IGNORE NULLS, first(bin) IGNORE NULLS, first(x) IGNORE NULLS, first(t) IGNORE NULLS, first(n) IGNORE NULLS FROM everything

query
SELECT g, first(b, true), first(s, true), first(i, true), first(l, true), first(f, true), first(d, true), first(a, true), first(p, true), first(x, true), first(t, true), first(n, true), any_value(g) FROM everything GROUP BY g

query
SELECT first(i), first(s) IGNORE NULLS FROM empty

-- Nested values; those of a group are equal, except without keys.
query
SELECT first(r), last(words), first(deep) IGNORE NULLS, first(o), last(o) FILTER (WHERE i < 5), any_value(words) FROM nested

query
SELECT i, first(r), last(words), first(deep) IGNORE NULLS, any_value(words), count(*) FROM nested GROUP BY i
