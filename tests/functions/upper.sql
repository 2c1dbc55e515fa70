-- upper case with Unicode's special mappings.

query
SELECT upper(s), upper(p), upper('Straße ﬁ ǆ'), upper(NULL) FROM strings

query
SELECT s FROM strings WHERE upper(s) = upper('abc')

query
SELECT upper(s) FROM empty
