-- Tables that every file can read: edge values of each type.

table integers
SELECT l.b, l.s, l.i, l.l, r.b AS b2, r.s AS s2, r.i AS i2, r.l AS l2
FROM VALUES
  (0Y, 0S, 0, 0L), (1Y, 1S, 1, 1L), (-1Y, -1S, -1, -1L), (7Y, -7S, 7, -7L), (3Y, 300S, -70000, 5000000000L),
  (127Y, 32767S, 2147483647, 9223372036854775807L),
  (CAST(-128 AS TINYINT), CAST(-32768 AS SMALLINT), CAST(-2147483648 AS INT), CAST('-9223372036854775808' AS BIGINT)),
  (NULL, NULL, NULL, NULL) AS l(b, s, i, l)
CROSS JOIN VALUES
  (0Y, 0S, 0, 0L), (2Y, 2S, 2, 2L), (-1Y, -1S, -1, -1L), (-3Y, 10S, -3, 10L), (127Y, 32767S, 2147483647, 9223372036854775807L),
  (CAST(-128 AS TINYINT), CAST(-32768 AS SMALLINT), CAST(-2147483648 AS INT), CAST('-9223372036854775808' AS BIGINT)),
  (NULL, NULL, NULL, NULL) AS r(b, s, i, l)

table small_integers
SELECT CAST(a AS TINYINT) AS b, CAST(a * 3 AS SMALLINT) AS s, CAST(a * 7 AS INT) AS i, CAST(a * 1000003 AS BIGINT) AS l,
  CAST(c AS TINYINT) AS b2, CAST(c * 2 AS SMALLINT) AS s2, CAST(c * 5 AS INT) AS i2, CAST(c * 100003 AS BIGINT) AS l2
FROM VALUES (1), (-2), (5), (0), (NULL), (11) AS l(a) CROSS JOIN VALUES (1), (3), (-4), (NULL) AS r(c)

table floats
SELECT CAST(l.d AS FLOAT) AS f, l.d AS d, CAST(r.d AS FLOAT) AS f2, r.d AS d2
FROM VALUES (0.0D), (-0.0D), (1.5D), (-2.25D), (double('NaN')), (double('Infinity')), (double('-Infinity')),
  (1.7976931348623157E308D), (4.9E-324D), (3.4028234663852886E38D), (0.1D), (NULL) AS l(d)
CROSS JOIN VALUES (0.0D), (-0.0D), (1.5D), (-0.75D), (double('NaN')), (double('Infinity')), (3D), (NULL) AS r(d)

table finite_floats
SELECT CAST(l.d AS FLOAT) AS f, l.d AS d, CAST(r.d AS FLOAT) AS f2, r.d AS d2
FROM VALUES (0.0D), (-0.0D), (1.5D), (-2.25D), (123456.789D), (-99.5D), (0.1D), (127.9D), (-0.5D), (NULL) AS l(d)
CROSS JOIN VALUES (1.5D), (-0.75D), (3D), (-7D), (NULL) AS r(d)

table decimals
SELECT CAST(l.x AS DECIMAL(9,2)) AS a, CAST(l.x AS DECIMAL(18,4)) AS m, CAST(l.x AS DECIMAL(38,10)) AS w,
  CAST(r.x AS DECIMAL(9,3)) AS a2, CAST(r.x AS DECIMAL(18,2)) AS m2, CAST(r.x AS DECIMAL(38,10)) AS w2
FROM VALUES ('0'), ('1.25'), ('-1.25'), ('9999999.99'), ('-9999999.99'), ('0.01'), ('3'), ('-7.5'), (NULL) AS l(x)
CROSS JOIN VALUES ('1'), ('-3'), ('0.125'), ('999999.999'), ('-7.5'), (NULL) AS r(x)

table wide_decimals
SELECT CAST(l.x AS DECIMAL(38,10)) AS w, CAST(l.x AS DECIMAL(38,0)) AS z, CAST(l.x AS DECIMAL(20,2)) AS v,
  CAST(r.x AS DECIMAL(38,10)) AS w2, CAST(r.x AS DECIMAL(38,0)) AS z2, CAST(r.x AS DECIMAL(20,2)) AS v2
FROM VALUES ('0'), ('9999999999999999999999999999.9999999999'), ('-9999999999999999999999999999.9999999999'),
  ('123456789012345678.91'), ('0.0000000001'), ('-1'), ('9223372036854775808'), ('-9223372036854775809'),
  ('99999999999999999999999999999999999999'), ('-99999999999999999999999999999999999999'), (NULL) AS l(x)
CROSS JOIN VALUES ('1'), ('-7'), ('0.0000000003'), ('9999999999999999999999999999.9999999999'),
  ('99999999999999999.99'), ('99999999999999999999999999999999999999'), (NULL) AS r(x)

table zero_decimals
SELECT CAST(x AS DECIMAL(9,2)) AS a, CAST(y AS DECIMAL(9,2)) AS z FROM VALUES ('1', '0'), ('2', '4'), (NULL, '0') AS t(x, y)

table booleans
SELECT * FROM VALUES (true), (false), (NULL) AS l(p) CROSS JOIN VALUES (true), (false), (NULL) AS r(q)

table strings
SELECT s, p, i, encode(s, 'utf-8') AS bin
FROM VALUES (''), ('a'), ('abc'), ('ABC'), ('  spaced  '), ('xxabcxx'), ('Straße'), ('ΌΣΟΣ ΣΑΣ'), ('äöü ÄÖÜ'), ('日本語テキスト'),
  ('a😀b'), ('100%'), ('a_b'), ('a\\b'), ('line\nbreak'), ('tab\there'), ('ﬁn'), ('İi'), (NULL) AS l(s)
CROSS JOIN VALUES ('', 0), ('a', 1), ('abc', 2), ('b', -2), ('ß', 5), ('😀', -100), (NULL, NULL), ('語', 2147483647), ('x', CAST(-2147483648 AS INT)) AS r(p, i)

table dates
SELECT d, d2, n, CAST(n % 100 AS TINYINT) AS n8, CAST(n AS SMALLINT) AS n16
FROM VALUES (DATE'1970-01-01'), (DATE'1969-12-31'), (DATE'2000-02-29'), (DATE'1900-03-01'), (DATE'2024-12-30'),
  (DATE'0001-01-01'), (DATE'9999-12-31'), (DATE'1582-10-15'), (DATE'1582-10-04'), (DATE'2015-07-01'), (NULL) AS l(d)
CROSS JOIN VALUES (DATE'1970-01-01', 0), (DATE'2024-02-29', 1), (DATE'1804-05-06', -366), (NULL, 10000), (DATE'2001-01-07', NULL) AS r(d2, n)

table timestamps
SELECT CAST(n AS TIMESTAMP) AS t, n, CAST(n AS DATE) AS d
FROM VALUES (TIMESTAMP_NTZ'1970-01-01 00:00:00'), (TIMESTAMP_NTZ'1969-12-31 23:59:59.999999'), (TIMESTAMP_NTZ'2024-03-10 10:30:00.5'),
  (TIMESTAMP_NTZ'2024-03-10 01:59:59'), (TIMESTAMP_NTZ'2024-11-03 08:15:00'), (TIMESTAMP_NTZ'2024-11-03 09:15:00.000001'), (TIMESTAMP_NTZ'2024-11-03 05:30:00'),
  (TIMESTAMP_NTZ'2024-03-31 01:30:00'), (TIMESTAMP_NTZ'2024-10-27 00:30:00.123'), (TIMESTAMP_NTZ'1883-11-18 20:00:00'), (TIMESTAMP_NTZ'0001-01-03 00:00:01'),
  (TIMESTAMP_NTZ'2390-07-04 12:00:00'), (TIMESTAMP_NTZ'2011-12-30 12:00:00'), (TIMESTAMP_NTZ'1900-01-01 00:00:00'), (NULL) AS t(n)

table empty
SELECT i, l, d, m, s, t, p, x
FROM VALUES (1, 1L, 1.5D, 1.50BD, 'a', TIMESTAMP'2020-01-01 00:00:00', true, DATE'2020-01-01') AS t(i, l, d, m, s, t, p, x) WHERE i > 1

table everything
SELECT g, b, s, i, l, f, d, a, w, p, st, bin, x, t, n
FROM VALUES
  (1, 1Y, 1S, 1, 1L, float(1.5), 1.5D, 1.25BD, true, 'a', X'01', DATE'2020-01-01', TIMESTAMP'2020-01-01 00:00:00Z', TIMESTAMP_NTZ'2020-01-01 00:00:00'),
  (1, -2Y, -2S, -2, -2L, float(-0.0), -0.0D, -2.50BD, true, 'äb', X'', DATE'1969-01-01', TIMESTAMP'1969-01-01 00:00:00Z', TIMESTAMP_NTZ'1969-01-01 00:00:00'),
  (1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (2, 127Y, 32767S, 2147483647, 4611686018427387903L, float('NaN'), double('NaN'), 9999999.99BD, false, '', X'FF00', DATE'9999-12-31', TIMESTAMP'9999-12-31 00:00:00Z', TIMESTAMP_NTZ'9999-12-31 00:00:00'),
  (2, CAST(-128 AS TINYINT), CAST(-32768 AS SMALLINT), CAST(-2147483648 AS INT), -4611686018427387904L, float(3), 3D, -9999999.99BD, true, '😀', X'00', DATE'0001-01-01', TIMESTAMP'0001-01-03 00:00:00Z', TIMESTAMP_NTZ'0001-01-01 00:00:00'),
  (2, NULL, 5S, NULL, 5L, NULL, 0.25D, NULL, false, 'b', NULL, DATE'2021-05-05', NULL, TIMESTAMP_NTZ'2021-05-05 12:00:00.123456'),
  (NULL, 1Y, 2S, 3, 4L, float(5), 6D, 7BD, false, 'z', X'07', DATE'2022-02-02', TIMESTAMP'2022-02-02 02:02:02Z', TIMESTAMP_NTZ'2022-02-02 02:02:02'),
  (NULL, 1Y, 2S, 3, 4L, float(5), 6D, 7BD, true, 'y', X'08', DATE'2023-02-02', TIMESTAMP'2023-02-02 02:02:02Z', TIMESTAMP_NTZ'2023-02-02 02:02:02'),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
  AS t(g, b, s, i, l, f, d, m, p, st, bin, x, t, n)
LATERAL VIEW inline(array(named_struct('a', CAST(m AS DECIMAL(9,2)), 'w', CAST(m AS DECIMAL(30,6)) * 100000000000000))) v AS a, w

table nested
SELECT i, named_struct('n', n, 's', s, 'd', d) AS r, a, w AS words, IF(i % 7 = 0, NULL, array(named_struct('a', a, 'w', CAST(i AS DECIMAL(30,2)), 'f', CAST(d AS FLOAT)), NULL)) AS deep,
  IF(i % 5 = 0, NULL, named_struct('l', array(a, NULL), 'r', named_struct('x', DATE'2020-01-01' + i % 3, 't', CAST(i % 4 AS TIMESTAMP), 'b', i % 2 = 0, 'm', CAST(i % 3 AS DECIMAL(9,2))))) AS o,
  IF(i % 3 = 0, NULL, map(i, s, i + 1, NULL)) AS m
FROM (SELECT i, IF(i % 4 = 0, NULL, i % 3) AS n,
    CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'äb' WHEN 3 THEN concat('a', chr(0)) ELSE 'a' END AS s,
    CASE i % 6 WHEN 0 THEN NULL WHEN 1 THEN double('NaN') WHEN 2 THEN -0.0D WHEN 3 THEN 0.0D WHEN 4 THEN double('-Infinity') ELSE 1.5D END AS d,
    CASE i % 8 WHEN 0 THEN NULL WHEN 1 THEN array() WHEN 2 THEN array(NULL) WHEN 3 THEN array(1) WHEN 4 THEN array(1, NULL) WHEN 5 THEN array(1, 2, 3) WHEN 6 THEN array(-2147483648) ELSE array(1, 2) END AS a,
    CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN array('') WHEN 2 THEN array('', NULL, 'a') ELSE array(concat('a', chr(0)), 'ß') END AS w
  FROM (SELECT explode(sequence(1, 60)) AS i))
