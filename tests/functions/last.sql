-- last and last IGNORE NULLS; the tables have one file, so that rows have an order.

query
SELECT last(b), last(s), last(i), last(l), last(f), last(d), last(a), last(w), last(p), last(st), last(bin), last(x), last(t), last(n) FROM everything

-- Spark sorts by the key for types whose buffers it cannot change in place: any order of rows, so not tested here.
query
SELECT g, last(b), last(s), last(i), last(l), last(f), last(d), last(a), last(p), last(x), last(t), last(n) FROM everything GROUP BY g

query
SELECT last(b) IGNORE NULLS, last(s) IGNORE NULLS, last(i) IGNORE NULLS, last(l) IGNORE NULLS, last(f) IGNORE NULLS, last(d) IGNORE NULLS, last(a) IGNORE NULLS, last(w) IGNORE NULLS, last(p) IGNORE NULLS, last(st) IGNORE NULLS, last(bin) IGNORE NULLS, last(x) IGNORE NULLS, last(t) IGNORE NULLS, last(n) IGNORE NULLS FROM everything

query
SELECT g, last(b, true), last(s, true), last(i, true), last(l, true), last(f, true), last(d, true), last(a, true), last(p, true), last(x, true), last(t, true), last(n, true), any_value(g) FROM everything GROUP BY g

query
SELECT last(i), last(s) IGNORE NULLS FROM empty
