-- rtrim.

query
SELECT rtrim(s), '[' || rtrim(p || '  ') || ']', rtrim('  a  ') FROM strings

query
SELECT trim(TRAILING 'x' FROM s), trim(TRAILING 'ax' FROM s), trim(TRAILING '' FROM s), trim(TRAILING '日ト' FROM s), trim(TRAILING 'ab' FROM 'abcab') FROM strings

query
SELECT rtrim(s) FROM empty
