-- The edits between strings, and the checksum of numbers.
-- COVERS ExpressionImplUtils.isLuhnNumber

table card_numbers
SELECT * FROM VALUES ('8112189876'), ('79927398713'), ('79927398714'), ('0'), ('00'), (''), (' '), ('-1'), ('4111 1111'), ('4111111111111111'), ('18'), ('1é8'), (NULL) AS t(x)

query
SELECT levenshtein(s, p), levenshtein(s, 'abc'), levenshtein('😀b', s), levenshtein(s, p, 2), levenshtein(s, p, 0), levenshtein(s, NULL), levenshtein(s, 'abcdefghijklmnopqrstuvwxyz'), levenshtein(s, reverse(s)) FROM strings

query
SELECT luhn_check(s), luhn_check(CAST(i AS STRING)), luhn_check(concat('811218987', i)) FROM strings

query
SELECT luhn_check(x) FROM card_numbers

query
SELECT levenshtein(s, s), luhn_check(s) FROM empty
