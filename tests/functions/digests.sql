-- Digests of bytes, and their bits.
-- COVERS Md5 Sha1 Sha2 Crc32 BitmapExpressionUtils.bitmapCount

query
SELECT md5(s), md5(bin), sha1(s), sha(bin), crc32(s), crc32(bin), bitmap_count(bin), md5(CAST(NULL AS STRING)) FROM strings

query
SELECT sha2(s, 224), sha2(s, 256), sha2(bin, 0), sha2(bin, 384), sha2(bin, 512) FROM strings

query
SELECT md5(bin), crc32(bin), bitmap_count(bin), sha2(bin, 256), bitmap_count(X'FF0180') FROM everything

query
SELECT md5(s), crc32(s), bitmap_count(CAST(s AS BINARY)) FROM empty
