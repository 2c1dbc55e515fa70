-- Fields of structs: of null structs, of structs in structs, of every type.

table people row_group(2)
SELECT * FROM VALUES
  (1, named_struct('a', 1, 'b', 'x', 'in', named_struct('d', 1.50, 'l', array(1, NULL)), 'm', map('k', 1)), X'01'),
  (2, NULL, X'02'),
  (3, named_struct('a', NULL, 'b', NULL, 'in', NULL, 'm', NULL), NULL),
  (4, named_struct('a', -7, 'b', 'ä', 'in', named_struct('d', NULL, 'l', NULL), 'm', map()), X''),
  (5, named_struct('a', 2147483647, 'b', '', 'in', named_struct('d', -0.01, 'l', array()), 'm', map('k', NULL)), X'FF') AS t(k, s, z)

table typed row_group(3)
SELECT k, named_struct('t', timestamp_seconds(k * 86399), 'n', CAST(timestamp_seconds(k) AS TIMESTAMP_NTZ), 'x', date_add(DATE'2020-02-28', k), 'w', CAST(k AS DECIMAL(38,3)) * 1234567, 'p', k % 2 = 0, 'f', CAST(k AS FLOAT) / 0.0D, 'z', z) AS s FROM people

query
SELECT k, s.a, s.b, s.in, s.m FROM people

query
SELECT k, s.in.d, s.in.l, size(s.in.l), size(s.m) FROM people

query
SELECT k, s.in.d * 2, upper(s.b), s.a + 1L FROM people WHERE s.a IS NOT NULL OR s.b IS NULL

query
SELECT s.in.d, count(*), sum(s.a) FROM people GROUP BY s.in.d

query
SELECT s.t, s.n, s.x, s.w, s.p, s.f, s.z, hour(s.t), year(s.x), s.w * 2 FROM typed

query
SELECT s.in.d FROM people WHERE k > 100

query
SELECT k, s.in.l FROM people ORDER BY s.in, s.a DESC

query
SELECT x.k, y.k FROM people x JOIN people y ON x.s.in = y.s.in

query
SELECT (SELECT named_struct('a', max(k), 'b', min(z)) FROM people).a, k FROM people
