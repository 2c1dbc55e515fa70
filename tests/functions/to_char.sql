-- to_char of numbers, in formats of digits, commas, a point, a dollar sign and signs.
-- COVERS ToCharacter

table numbers
SELECT CAST(x AS DECIMAL(12,2)) AS a, CAST(x AS DECIMAL(38,6)) AS w, CAST(x AS INT) AS i
FROM VALUES ('0'), ('0.5'), ('-0.5'), ('1'), ('-1'), ('12.34'), ('-12.3'), ('999'), ('1000'), ('-1234.5'), ('123456.78'), ('-999999'), ('9999999.99'), ('0.01'), (NULL) AS t(x)

query
SELECT to_char(a, '999'), to_char(a, '9,999.99'), to_char(a, '$999,999.99'), to_char(a, '000000.0'), to_char(a, '0,000.00'), to_varchar(a, '99G999D9'), to_char(i, '9999999') FROM numbers

query
SELECT to_char(a, 'S9999.99'), to_char(a, '9999.99S'), to_char(a, 'MI9999.99'), to_char(a, '9999.99MI'), to_char(a, 'S$9,999.9'), to_char(a, '$9999.99S'), to_char(a, 'MI$99.99') FROM numbers

query
SELECT to_char(i, 'S999'), to_char(i, '999S'), to_char(i, 'MI999'), to_char(i, '999MI'), to_char(i, 'S0999'), to_char(i, '0999S'), to_char(i, '$9,999S'), to_char(i, 'S9,999') FROM numbers

query
SELECT to_char(w, '9,999,999.999999'), to_char(w, '09.9'), to_char(w, 'S999999999999.000000'), to_char(w, '9') FROM numbers

query fallback(to_char)
SELECT to_char(a, '999PR') FROM numbers

query fallback(to_char)
SELECT to_char(a, '.99') FROM numbers

query
SELECT to_char(m, '99.9') FROM empty
