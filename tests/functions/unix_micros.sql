-- unix_micros.

query
SELECT unix_micros(t), unix_micros(TIMESTAMP'1970-01-01 00:00:01Z') FROM timestamps

query
SELECT unix_micros(t) FROM empty
