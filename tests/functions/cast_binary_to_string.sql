-- CAST of binaries to strings, which need not be valid UTF-8.
-- COVERS Cast

query
SELECT CAST(bin AS STRING), length(CAST(bin AS STRING)), CAST(bin AS STRING) = s FROM strings

query
SELECT CAST(CAST(bin AS STRING) AS BINARY) FROM everything

query
SELECT CAST(CAST(s AS BINARY) AS STRING) FROM empty
