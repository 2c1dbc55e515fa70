-- unix_date.

query
SELECT unix_date(d), unix_date(DATE'1970-01-02'), unix_date(NULL) FROM dates

query
SELECT unix_date(x) FROM empty
