-- Number of elements: empty and null collections, elements that are null.
-- CONFIG spark.sql.legacy.sizeOfNull=true|false

table bags row_group(2)
SELECT * FROM VALUES
  (1, array(1, NULL, 3), map('a', array(1), 'b', NULL)), (2, array(), map()), (3, NULL, NULL),
  (4, array(NULL), map('c', array(2))) AS t(k, a, m)

query
SELECT k, size(a), size(m), cardinality(a) FROM bags

query
SELECT k FROM bags WHERE size(a) > 1

query
SELECT size(a), count(*) FROM bags GROUP BY size(a)

query
SELECT k, if(k > 1, a, NULL), if(k = 1, NULL, m), CASE WHEN k = 2 THEN m WHEN k = 1 THEN NULL ELSE m END, coalesce(if(k > 2, m, NULL), m) FROM bags

query
SELECT k, a IS NULL, m IS NOT NULL FROM bags WHERE a IS NOT NULL
