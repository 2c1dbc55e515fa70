-- CAST and TRY_CAST from string to booleans and numbers.
-- COVERS Cast

table texts_of_integers
SELECT x FROM VALUES ('0'), ('-0'), ('+7'), (' 42 '), ('\t42\n'), ('\u007f42\u0000'), ('\u00a042'), ('42\u2003'), ('007'), ('-'), ('+'), (''), ('  '),
  ('127'), ('128'), ('-128'), ('-129'), ('32767'), ('32768'), ('-32768'), ('-32769'), ('2147483647'), ('2147483648'), ('-2147483648'), ('-2147483649'),
  ('9223372036854775807'), ('9223372036854775808'), ('-9223372036854775808'), ('-9223372036854775809'), ('00000000000000000000000000000000001'),
  ('1.5'), ('-1.9'), ('5.'), ('.5'), ('.'), ('-.'), ('1.x'), ('1.2.3'), ('1e3'), ('0x1F'), ('1_000'), ('1,000'), ('--1'), ('+-1'), ('1 2'), ('٣'), ('３'), ('N/A'), (NULL) AS t(x)

table whole_texts
SELECT x FROM VALUES ('0'), ('-12'), (' 7'), ('+99'), ('\u000012\u001f'), ('0001'), (NULL) AS t(x)

table texts_of_numbers
SELECT x FROM VALUES ('0'), ('-0'), ('-0.0'), ('12.34'), ('+12.345'), ('-12.345'), ('.5'), ('5.'), ('.'), ('-'), (''), (' '), (' 1.5\t'), ('\u007f1.5'), ('1.5\u007f'), ('\u00001.5'), ('\u00a01.5'),
  ('0.005'), ('-0.005'), ('0.0049999999999999999999'), ('999.99'), ('999.995'), ('999.994999'), ('1000'), ('1e2'), ('1E+2'), ('1e-2'), ('1e'), ('1e+'), ('e1'), ('0e38'), ('0e99'), ('1e37'), ('1e38'), ('1e-38'), ('1e-400'), ('1e400'), ('-1e400'),
  ('99999999999999999999999999999999999999'), ('-99999999999999999999999999999999999999.5'), ('0.00000000000000000000000000000000000001'), ('12345678901234567890.123456789012345678901234567890'),
  ('1e2147483647'), ('1e2147483648'), ('16777217'), ('16777216.000000000000000000001'), ('9007199254740993'), ('9007199254740992.99999999'), ('4.9E-324'), ('2.4703282292062327e-324'), ('2.4703282292062328e-324'),
  ('1.7976931348623157E308'), ('1.7976931348623159E308'), ('3.4028235E38'), ('3.4028236E38'), ('1.1754943508222875e-38'), ('7.006492321624085e-46'),
  ('NaN'), ('nan'), ('-NaN'), ('-nan'), ('Infinity'), ('-Infinity'), ('inf'), ('+INF'), ('-inf'), ('infinit'), ('1d'), ('1F'), ('1df'), ('NaNd'), ('0x1p3'), ('-0X1.8P-2d'), ('0x1.fffffep127'), ('0x1.ffffffp127'), ('0x1.0000010000000001p0'), ('0x1p1024'), ('0x.p1'), ('0x1'),
  ('1_0'), ('1,5'), ('1.2.3'), ('1 2'), ('--1'), ('+-1'), ('١٢.٥'), ('３e１'), ('𝟙'), ('N/A'), (NULL) AS t(x)

table plain_texts
SELECT x FROM VALUES ('0'), ('12.34'), ('-999.995'), ('0.5'), (' 1'), ('+2.50'), (NULL) AS t(x)

table texts_of_tiny_numbers
SELECT x FROM VALUES ('1e-20000'), ('1') AS t(x)

table words
SELECT x FROM VALUES ('t'), ('true'), ('TRUE'), ('tRuE'), ('y'), ('YES'), ('1'), ('f'), ('False'), ('n'), ('no'), ('0'), (' true '), ('\u0000false\u007f'), ('\u00a0true'), ('tr'), ('on'), ('off'), ('2'), ('01'), ('ｔ'), (''), (NULL) AS t(x)

query
SELECT x, try_cast(x AS TINYINT), try_cast(x AS SMALLINT), try_cast(x AS INT), try_cast(x AS BIGINT) FROM texts_of_integers

query ansi_error(CAST_INVALID_INPUT)
SELECT x, CAST(x AS TINYINT), CAST(x AS SMALLINT), CAST(x AS INT), CAST(x AS BIGINT) FROM texts_of_integers

query
SELECT x, CAST(x AS TINYINT), CAST(x AS SMALLINT), CAST(x AS INT), CAST(x AS BIGINT) FROM whole_texts

query ansi_error(CAST_INVALID_INPUT)
SELECT CAST(x AS TINYINT) FROM texts_of_integers WHERE x = '128'

query ansi_error(CAST_INVALID_INPUT)
SELECT CAST(x AS INT) FROM plain_texts

query
SELECT x, try_cast(x AS DOUBLE), try_cast(x AS FLOAT) FROM texts_of_numbers

query ansi_error(CAST_INVALID_INPUT)
SELECT x, CAST(x AS DOUBLE), CAST(x AS FLOAT) FROM texts_of_numbers

query
SELECT x, try_cast(x AS DECIMAL(5,2)), try_cast(x AS DECIMAL(10,0)), try_cast(x AS DECIMAL(18,6)), try_cast(x AS DECIMAL(20,18)), try_cast(x AS DECIMAL(38,0)), try_cast(x AS DECIMAL(38,10)), try_cast(x AS DECIMAL(38,38)) FROM texts_of_numbers

query ansi_error(CAST_INVALID_INPUT)
SELECT x, CAST(x AS DECIMAL(5,2)), CAST(x AS DECIMAL(38,10)) FROM texts_of_numbers WHERE length(x) < 7

query ansi_error(NUMERIC_VALUE_OUT_OF_RANGE)
SELECT CAST(x AS DECIMAL(5,2)) FROM plain_texts

query
SELECT x, CAST(x AS DOUBLE), CAST(x AS FLOAT), CAST(x AS DECIMAL(5,1)), CAST(x AS DECIMAL(38,3)), CAST('1.5' AS DOUBLE), CAST(' 12 ' AS INT), CAST('2.345' AS DECIMAL(5,2)) FROM plain_texts

query
SELECT x, try_cast(x AS BOOLEAN), try_cast('yes' AS BOOLEAN), CAST('f' AS BOOLEAN) FROM words

query ansi_error(CAST_INVALID_INPUT)
SELECT x, CAST(x AS BOOLEAN) FROM words

query
SELECT count(*), sum(CAST(x AS DOUBLE)) FROM plain_texts WHERE CAST(x AS DOUBLE) > 0

query
SELECT IF(p = '1', 0, try_cast(p AS INT)), CASE WHEN i > 1 AND p < ':' THEN CAST(p AS INT) ELSE i END FROM strings

query
SELECT CAST(s AS INT), CAST(s AS DOUBLE), CAST(s AS DECIMAL(10,2)), CAST(s AS BOOLEAN) FROM empty

query replay
SELECT try_cast(x AS DECIMAL(5,2)) FROM texts_of_tiny_numbers
