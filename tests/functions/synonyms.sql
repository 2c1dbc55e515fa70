-- Names that Spark's analysis replaces by functions that have files of their own.
-- CONFIG spark.sql.session.timeZone=America/New_York|UTC|Australia/Lord_Howe|Asia/Kathmandu

table years
SELECT * FROM VALUES ('2024'), ('1969'), (NULL) AS t(y)

query
SELECT i != i2, i == i2, i BETWEEN i2 AND 7, equal_null(i, i2), equal_null(i, NULL), isnotnull(i), positive(i), positive(-7S), CASE WHEN i > 0 THEN s WHEN i < i2 THEN s2 END, CASE i WHEN 1 THEN 'one' WHEN 7 THEN 'seven' ELSE 'other' END FROM integers

query
SELECT negative(b), negative(l), negative(5) FROM small_integers

query ansi_error(ARITHMETIC_OVERFLOW)
SELECT negative(l) FROM integers

query ansi_error(REMAINDER_BY_ZERO)
SELECT mod(i, i2), mod(7, i2) FROM integers

query since=4.0
SELECT mod(i, 3), try_mod(i, i2), try_mod(7, l2), try_mod(l, NULL) FROM integers

query
SELECT bigint(i), boolean(i), string(l), float(l), double(s), int(b), smallint(b), tinyint(7) FROM integers

query ansi_error(CAST_OVERFLOW)
SELECT smallint(i), tinyint(l), int(l) FROM integers

query
SELECT binary(s), char_length(s), character_length(p), len(s), lcase(s), ucase(s), btrim(s), btrim(s, 'xa'), len(''), ucase('ß'), lcase(NULL), char(i % 300) FROM strings

query
SELECT s LIKE 'a%', s LIKE p, s ILIKE 'AB_', s ILIKE '%SS%', s RLIKE 'a+', s REGEXP '^.b', regexp_like(s, '[a-c]$'), rlike('abc', 'b'), regexp(s, 'ß') FROM strings

query since=4.0
SELECT collate(s, 'UTF8_BINARY'), collation(s), 'a' COLLATE UTF8_BINARY FROM strings

query
SELECT d, date(t), date('2024-02-29'), timestamp(d), date_diff(d, DATE'2000-01-01'), date_diff(NULL, d), datepart('YEAR', t), datepart('MONTH', d), dayofmonth(d) FROM timestamps

query
SELECT to_timestamp_ltz(y, 'yyyy') FROM years

query since=4.0
SELECT try_to_date(s, 'yyyy-MM-dd'), try_to_date('2024-02-30', 'yyyy-MM-dd') FROM strings

query
SELECT mean(i), mean(d), mean(a), mean(1) FROM everything

query
SELECT g, mean(s) FROM everything GROUP BY g

query
SELECT get(array(i, i2), 0), get(array(i, i2), 1), get(array(i), 0) + 1L FROM integers

query since=4.0
SELECT equal_null(i, 1), mod(i, 3), char_length(s), s ILIKE 'A', collation(s), date(t), datepart('DAY', t), string(m) FROM empty

query
SELECT mean(d) FROM empty
