-- Range: numbers made by the engine, in Spark's slices.

query
SELECT id, id * 2 FROM range(10) WHERE id % 3 = 0

query
SELECT count(*), sum(id), min(id), max(id) FROM range(5, 3000)

query
SELECT id FROM range(10, 0, -3)

query
SELECT id FROM range(0, 10, 3, 4)

query
SELECT id FROM range(0, 3, 1, 7) WHERE id >= 0

query
SELECT count(*), sum(id) FROM range(5, 5)

query
SELECT id FROM range(5, 0, 2) WHERE id >= 0

query
SELECT id FROM range(9223372036854775800, 9223372036854775807, 7, 3) WHERE id > 0

query
SELECT id FROM range(9223372036854775800, 9223372036854775807, 1, 3) WHERE id > 0

query
SELECT id FROM range(9223372036854775800, 9223372036854775807, 2, 3) WHERE id > 0

query
SELECT id FROM range(-9223372036854775800, -9223372036854775808, -3, 2) WHERE id < 0

-- Spark's generated code loses numbers of these.
query fallback(64 bits)
SELECT id FROM range(-9223372036854775808, 9223372036854775807, 4611686018427387904, 3) WHERE id <> 0

query fallback(64 bits)
SELECT id FROM range(9223372036854775807, -9223372036854775808, -9223372036854775807, 5) WHERE id <> 1

query
SELECT id % 10, count(*) FROM range(0, 3000, 1, 3) GROUP BY id % 10

query
SELECT count(*) FROM (SELECT id FROM range(0, 1000, 1, 5)) TABLESAMPLE (25 PERCENT) REPEATABLE (3)
