-- Strings whose bytes are not UTF-8, and others.
-- COVERS UTF8String.isValid UTF8String.makeValid ExpressionImplUtils.validateUTF8String ExpressionImplUtils.tryValidateUTF8String

query since=4.0
SELECT is_valid_utf8(s), make_valid_utf8(s), validate_utf8(s), try_validate_utf8(s), is_valid_utf8(p) FROM strings

table valid_utf8_1
SELECT * FROM VALUES (X'61'), (X'80'), (X'C3'), (X'61C328'), (X'E282'), (X'E28261'), (X'F0908D'), (X'F0908D41'), (X'EDA080'), (X'F4908080'), (X'C080'), (X'FFFE61'), (X'E2E282AC'), (X'F08080'), (NULL) AS t(x)

query since=4.0
SELECT is_valid_utf8(CAST(x AS STRING)), make_valid_utf8(CAST(x AS STRING)), try_validate_utf8(CAST(x AS STRING)) FROM valid_utf8_1

query since=4.0
SELECT is_valid_utf8(s), make_valid_utf8(s), validate_utf8(s), try_validate_utf8(s) FROM empty
