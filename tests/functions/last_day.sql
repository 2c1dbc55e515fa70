-- last_day and next_day.
-- COVERS LastDay NextDay

query
SELECT last_day(d), last_day(d2), last_day(DATE'1900-02-01') FROM dates

query
SELECT next_day(d, 'MO'), next_day(d, 'tue'), next_day(d, 'Wednesday'), next_day(d, 'TH'), next_day(d, 'FRI'), next_day(d2, 'SA'), next_day(d2, 'SUNDAY'), next_day(DATE'2015-01-14', 'TU') FROM dates

query fallback(must be one of)
SELECT next_day(d, 'sUn') FROM dates

query
SELECT last_day(x), next_day(x, 'MO') FROM empty
