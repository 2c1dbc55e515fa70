-- Bits and buckets of bitmaps.
-- COVERS BitmapExpressionUtils.bitmapBitPosition BitmapExpressionUtils.bitmapBucketNumber

query
SELECT bitmap_bit_position(l), bitmap_bucket_number(l), bitmap_bit_position(i2), bitmap_bucket_number(l2), bitmap_bucket_number(32768), bitmap_bit_position(32769) FROM integers

query
SELECT bitmap_bit_position(l), bitmap_bucket_number(l) FROM empty
