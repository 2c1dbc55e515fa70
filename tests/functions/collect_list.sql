-- COVERS CollectList CollectSet
-- collect_list, array_agg and collect_set; a set has no order.

query
SELECT collect_list(b), collect_list(s), collect_list(i), collect_list(l), collect_list(f), collect_list(d), collect_list(a), collect_list(w), collect_list(p), collect_list(st), collect_list(bin), collect_list(x), collect_list(t), collect_list(n) FROM everything

query
SELECT g, collect_list(i), array_agg(st), collect_list(t), collect_list(w), collect_list(p) FILTER (WHERE i > 0), collect_list(i + l) FROM everything GROUP BY g

query
SELECT i % 3, collect_list(r), collect_list(a), collect_list(o), collect_list(m), count(*), sum(i) FROM nested GROUP BY i % 3

query spark(Project)
SELECT g, sort_array(s), sort_array(c), sort_array(v), n FROM (SELECT g, collect_set(st) AS s, collect_set(i) AS c, collect_set(a) FILTER (WHERE p) AS v, count(i) AS n FROM everything GROUP BY g)

query spark(Project)
SELECT d2, sort_array(c), sort_array(s) FROM (SELECT d2, collect_set(d) AS c, collect_set(f) AS s FROM floats GROUP BY d2)

query
SELECT g, collect_list(DISTINCT p), collect_list(DISTINCT 1) FROM everything WHERE p GROUP BY g

query
SELECT i, collect_list(i2) OVER (PARTITION BY b ORDER BY l2), collect_list(s2) OVER (PARTITION BY b ORDER BY l2 ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM small_integers

query
SELECT collect_list(i), collect_set(s) FROM empty

query
SELECT i, collect_list(l), collect_set(d) FROM empty GROUP BY i
