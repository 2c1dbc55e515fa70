-- ltrim.

query
SELECT ltrim(s), '[' || ltrim(p || '  ') || ']', ltrim('  a  ') FROM strings

query
SELECT trim(LEADING 'x' FROM s), trim(LEADING 'ax' FROM s), trim(LEADING '' FROM s), trim(LEADING '日ト' FROM s), trim(LEADING 'ab' FROM 'abcab') FROM strings

query
SELECT ltrim(s) FROM empty
