-- LIKE with a literal pattern.

query
SELECT s LIKE '_', s LIKE 'a_c', s LIKE '%_b%', s LIKE 'x%b%x', s LIKE '_%_%_', s LIKE '', s LIKE '%', s LIKE '%ß_', 'abc' LIKE '_b_' FROM strings

query
SELECT s LIKE '100\%', s LIKE 'a\_b', s LIKE '%\\%', s LIKE '100#%' ESCAPE '#', s LIKE 'a/_%' ESCAPE '/', s LIKE '%#_%' ESCAPE '#' FROM strings

query
SELECT s LIKE 'line%_break', s LIKE 'tab_here', s LIKE 'a_b', s LIKE '日_語%', s NOT LIKE '_b%' FROM strings

query
SELECT s FROM strings WHERE s LIKE '_b%' OR s LIKE '%a_b%c%'

query
SELECT s LIKE 'a.c', s LIKE '[a]%_', s LIKE '(a|b)_', s LIKE '^a_c$', s LIKE 'a*_' FROM strings

query error(INVALID_FORMAT)
SELECT s LIKE '%a_\\' FROM strings

query error(INVALID_FORMAT)
SELECT s LIKE '%_#a' ESCAPE '#' FROM strings

query
SELECT s LIKE concat('%', p) FROM strings

query nightly
SELECT s LIKE p, s NOT LIKE p, s ILIKE p, 'abc' LIKE p, s LIKE concat(p, '%'), s LIKE concat('%', p, '_') ESCAPE '/' FROM strings

query error(INVALID_FORMAT)
SELECT s LIKE concat(p, '\\') FROM strings

query nightly error(INVALID_FORMAT)
SELECT s LIKE concat(p, '#a') ESCAPE '#' FROM strings

query
SELECT s LIKE 'a_' FROM empty
