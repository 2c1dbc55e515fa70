-- trim.

query
SELECT trim(s), '[' || trim(p || '  ') || ']', trim('  a  ') FROM strings

query
SELECT trim(BOTH 'x' FROM s), trim(BOTH 'ax' FROM s), trim(BOTH '' FROM s), trim(BOTH '日ト' FROM s), trim(BOTH 'ab' FROM 'abcab') FROM strings

query
SELECT trim(s) FROM empty
