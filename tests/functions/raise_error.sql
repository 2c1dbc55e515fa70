-- raise_error and assert_true in branches: an error for the rows that reach it.

query
SELECT if(i > 0, i, coalesce(i2, raise_error('no value'))) FROM small_integers WHERE i > 0 OR i2 IS NOT NULL

query
SELECT CASE WHEN s = '' THEN 'empty' WHEN s IS NULL THEN 'none' WHEN s > '' THEN s ELSE raise_error(concat('odd: ', s)) END FROM strings

query
SELECT count(*) FROM integers WHERE assert_true(i <= 2147483647 OR i IS NULL) IS NULL

query error(USER_RAISED_EXCEPTION)
SELECT if(i = 7, raise_error(concat('seven: ', i)), i) FROM integers

query error(USER_RAISED_EXCEPTION)
SELECT count(*) FROM integers WHERE assert_true(i > 0, 'not positive') IS NULL

query error(USER_RAISED_EXCEPTION)
SELECT coalesce(nullif(p, p), raise_error('null')) FROM booleans

query
SELECT if(i > 0, i, raise_error('no')) FROM empty
