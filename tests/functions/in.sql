-- IN with short lists, of literals and of columns.

query
SELECT b IN (1, 2), s IN (2S), i IN (1, 2, NULL), i IN (i2, 1), l IN (-1, 10, 5000000000), NULL IN (1, i), 1 IN (1, 2), i NOT IN (1, 2), i NOT IN (1, NULL) FROM integers

query
SELECT d IN (1.5, 0), d IN (2.5D, -0.0D), f IN (1.5, 3), d IN (d2, 1) FROM floats

query
SELECT a IN (1.25, 3), w IN (1.25, -7.5), m IN (m2) FROM decimals

query
SELECT s IN ('a', 'abc', ''), s IN (p, 'x'), s NOT IN ('日本語テキスト', NULL), bin IN (X'61', X'') FROM strings

query
SELECT d IN (DATE'1970-01-01', DATE'2000-02-29'), d IN (d2) FROM dates

query
SELECT p IN (true), p IN (q, NULL) FROM booleans

query
SELECT i FROM integers WHERE i IN (1, 7)

query
SELECT i IN (1, 2) FROM empty
