-- Decimals of texts in a format.
-- COVERS ToNumber TryToNumber

table texts
SELECT s FROM VALUES ('12'), (' 12'), ('12 '), ('12.'), ('.5'), ('012'), ('123'), ('12.3'), ('12.34'), ('0'), ('000'), ('.00'), (NULL) AS t(s)

table wrong
SELECT s FROM VALUES ('1234'), ('12.345'), ('-12'), ('+12'), ('1,2'), ('1a'), ('1.2.3'), ('$1'), ('1e1'), (NULL), ('7') AS t(s)

query
SELECT to_number(s, '999.99'), try_to_number(s, '999.99'), to_number(s, '999999999999.999999'), try_to_number(s, '99.9'), try_to_number(s, '999'), try_to_number(s, '9') FROM texts

query
SELECT try_to_number(s, '999.99'), try_to_number(s, '999') FROM wrong

query
SELECT to_number(CAST(abs(i) AS STRING), '999999999999') FROM integers WHERE i > -100000

query error(INVALID_FORMAT)
SELECT to_number(s, '999.99') FROM wrong

query replay
SELECT try_to_number(concat(s, ' .5'), '999.99'), try_to_number(concat(s, '２'), '9999') FROM texts

query fallback(must be one of)
SELECT try_to_number(s, '$999') FROM wrong

query
SELECT to_number(s, '99') FROM empty
