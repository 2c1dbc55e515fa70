-- COVERS BitmapConstructAgg BitmapOrAgg BitmapAndAgg
-- Bitmaps of 4096 bytes. What is longer or shorter is left to Spark, whose versions differ there.

query
SELECT bitmap_construct_agg(bitmap_bit_position(i)), bitmap_construct_agg(bitmap_bit_position(l)) FROM everything

query
SELECT g, bitmap_count(bitmap_construct_agg(bitmap_bit_position(i))), bitmap_construct_agg(abs(b)) FILTER (WHERE p), count(*) FROM everything WHERE i <> -2147483648 AND b <> -128 GROUP BY g

query
SELECT bitmap_bucket_number(l), bitmap_construct_agg(bitmap_bit_position(l)), bitmap_construct_agg(DISTINCT bitmap_bit_position(l)) FROM small_integers GROUP BY bitmap_bucket_number(l)

table bitmaps
SELECT k, bitmap_construct_agg(bitmap_bit_position(id)) AS m FROM (SELECT id, id % 5 AS j, id % 3 AS k FROM range(0, 40000, 17, 3)) WHERE id % 7 < 3 GROUP BY j, k UNION ALL SELECT 9, NULL

query since=4.0
SELECT bitmap_or_agg(m), bitmap_and_agg(m), bitmap_count(bitmap_or_agg(m)), bitmap_count(bitmap_and_agg(m)) FROM bitmaps

query since=4.0
SELECT k, bitmap_or_agg(m), bitmap_and_agg(m), bitmap_and_agg(m) FILTER (WHERE k = 1) FROM bitmaps GROUP BY k

query
SELECT k, bitmap_count(bitmap_or_agg(m) OVER (PARTITION BY k)), bitmap_count(bitmap_construct_agg(k) OVER (PARTITION BY m)) FROM bitmaps

query since=4.0
SELECT bitmap_construct_agg(l), bitmap_or_agg(encode(s, 'utf-8')), bitmap_and_agg(encode(s, 'utf-8')) FROM empty

query
SELECT i, bitmap_construct_agg(l) FROM empty GROUP BY i

query replay since=4.0
SELECT bitmap_or_agg(encode(s, 'utf-8')), bitmap_and_agg(encode(s, 'utf-8')) FROM strings

query error(INVALID_BITMAP_POSITION)
SELECT bitmap_construct_agg(i) FROM everything

query error(INVALID_BITMAP_POSITION)
SELECT bitmap_construct_agg(32768L + b) FROM everything WHERE b > 0
