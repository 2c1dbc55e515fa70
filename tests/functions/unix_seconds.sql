-- unix_seconds.

query
SELECT unix_seconds(t), unix_seconds(TIMESTAMP'1970-01-01 00:00:01Z') FROM timestamps

query
SELECT unix_seconds(t) FROM empty
