-- format_string and printf with the conversions %s, %d, %x and %f.

table halves
SELECT * FROM VALUES (0.125D), (0.135D), (1.005D), (2.5D), (0.05D), (-0.001D), (-0.0D), (999.995D), (0.994999999D), (NULL) AS t(x)

query
SELECT format_string('%s-%d', s, i), printf('a%sb', p), format_string('%%%s%n', s), format_string('only text'), format_string('%2$s %1$s', s, p) FROM strings

query
SELECT format_string('%d %s', i, i), format_string('%5d|%-5d|%05d|%,d|%+d', b, b, b, s, s), format_string('%x %X %08x', b, s, l2), format_string('%,015d %+,d', i2, i2), format_string('%d %x', CAST(NULL AS INT), CAST(NULL AS INT)) FROM integers WHERE l2 > -9223372036854775808

query
SELECT format_string('%f %.0f %.2f', d, d, d), format_string('%,.3f|%+.1f|%010.2f|%-12.4f|', d, d2, f, f2), format_string('%.9f', d / 1000) FROM finite_floats

query
SELECT format_string('%.2f %.1f %.0f', x, x, x) FROM halves

query
SELECT format_string('%10s|%-10s|', a, a), format_string('%s %s', p, q) FROM (SELECT CASE WHEN p THEN 'ab' WHEN q THEN '' END AS a, p, q FROM booleans)

query replay
SELECT format_string('%.2f', d) FROM floats

query fallback(format_string)
SELECT format_string('%e', d) FROM floats

query fallback(format_string)
SELECT format_string('%s', d) FROM floats

query fallback(format_string)
SELECT format_string(s, 1) FROM strings WHERE s NOT LIKE '%\%%'

query
SELECT format_string('%d %s', i, s) FROM empty
