-- unix_millis.

query
SELECT unix_millis(t), unix_millis(TIMESTAMP'1970-01-01 00:00:01Z') FROM timestamps

query
SELECT unix_millis(t) FROM empty
