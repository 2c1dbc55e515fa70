-- substring, substr, left, right.

query
SELECT substring(s, 1, 2), substring(s, 0, 2), substring(s, -3, 2), substr(s, 2), substring(s, i, 2), substring(s, 1, i), substring(s, i, i), substring(s, i),
  substring('Spark SQL', i, 3), substring(s, 2147483647, 2147483647), substring(s, -2147483648, 5), substring(s, -5, 2147483647), substring(s, NULL, 1) FROM strings

query
SELECT left(s, 2), right(s, 2), left(s, i), right(s, i), substring('äöü😀x', 2, 3) FROM strings

query
SELECT substring(s, 1, 1) FROM empty
