-- IN with lists long enough for a set.

query
SELECT b IN (-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7), s IN (-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7), i IN (-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7), l IN (-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7), i NOT IN (-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7), i IN (-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, NULL), l IN (-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 5000000000) FROM integers

query
SELECT d IN (1.5D, 0D, 2.5D, 3D, 4D, 5D, 6D, 7D, 8D, 9D, 10D, 11D), f IN (-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7) FROM floats

query
SELECT a IN (1.25, 3, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7), w IN (1.25, -7.5, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7) FROM decimals

query
SELECT s IN ('', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'abc', '日本語テキスト', 'Straße', NULL), s NOT IN ('', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j') FROM strings

query
SELECT d IN (DATE'2000-02-18', DATE'2000-02-19', DATE'2000-02-20', DATE'2000-02-21', DATE'2000-02-22', DATE'2000-02-23', DATE'2000-02-24', DATE'2000-02-25', DATE'2000-02-26', DATE'2000-02-27', DATE'2000-02-28', DATE'2000-02-29') FROM dates

query
SELECT i FROM integers WHERE i IN (-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7)

query
SELECT i IN (-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7) FROM empty
