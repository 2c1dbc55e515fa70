-- listagg and string_agg.

query since=4.0
SELECT listagg(st), listagg(st, ', '), string_agg(st, NULL) WITHIN GROUP (ORDER BY st), listagg(st, '') WITHIN GROUP (ORDER BY d DESC NULLS FIRST, i) FROM everything

query since=4.0
SELECT g, listagg(st, '-') WITHIN GROUP (ORDER BY st DESC), listagg(st, '|') FILTER (WHERE p), count(*) FROM everything GROUP BY g

query since=4.0
SELECT g, listagg(DISTINCT st, '+') WITHIN GROUP (ORDER BY st) FROM everything GROUP BY g

query since=4.0
SELECT i, string_agg(s, ' ') WITHIN GROUP (ORDER BY p, s) FROM strings GROUP BY i

query fallback(listagg is not supported for arguments of type (binary, binary)) since=4.0
SELECT listagg(bin, X'00') FROM everything

query since=4.0
SELECT listagg(s), listagg(s, ',') WITHIN GROUP (ORDER BY i) FROM empty
