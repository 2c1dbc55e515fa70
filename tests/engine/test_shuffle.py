"""Shuffle files: what fragments write, and what others read of it."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from broadhead.errors import ShuffleBlockError
from broadhead.operators.context import Run
from broadhead.plan import exchanges, nodes
from broadhead.plan.prune import prune
from broadhead.plan.sort_order import SortOrder
from broadhead.shuffle.block import HEADER, Rows, encode
from broadhead.shuffle.buffers import NONE, ZSTD
from broadhead.shuffle.reader import Segment, read_rows
from broadhead.shuffle.writer import ShuffleWriter
from broadhead.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    VOID,
    ArrayType,
    DataType,
    StructField,
    StructType,
    decimal,
)
from engine.fragments import (
    MemorySources,
    attributes,
    column,
    kernels_under_test,
    literal,
    run_rows,
)

if TYPE_CHECKING:
    from broadhead.shuffle.writer import ShuffleWriteResult

ALL_TYPES: dict[str, DataType] = {
    "boolean": BOOLEAN,
    "integer": INTEGER,
    "long": LONG,
    "double": DOUBLE,
    "narrow": decimal(12, 2),
    "wide": decimal(30, 2),
    "string": STRING,
    "binary": BINARY,
    "date": DATE,
    "timestamp": TIMESTAMP,
    "void": VOID,
}
NESTED: dict[str, DataType] = {
    "array": ArrayType("array", INTEGER, True),
    "struct": StructType("struct", (StructField("a", STRING, True), StructField("b", LONG, True))),
}


@dataclass
class ShuffleSources(MemorySources):
    """The same with segments of shuffle files."""

    shuffles: dict[int, list[Segment]] = field(default_factory=dict)

    def segments(self, source: int) -> Iterator[Segment]:
        return iter(self.shuffles[source])


def writer(
    path: Path, types: Sequence[DataType], partitions: int, memory: int = 1 << 30, **options: Any
) -> ShuffleWriter:
    spills = path.with_suffix(".spill")
    spills.mkdir(exist_ok=True)
    return ShuffleWriter(
        path,
        types,
        partitions,
        memory=memory,
        block_rows=1000,
        spill_directory=lambda: spills,
        **options,
    )


def write(
    path: Path,
    partitioning: exchanges.Partitioning,
    batches: Sequence[pa.RecordBatch],
    types: dict[str, DataType],
    memory: int = 1 << 30,
    partition: int = 0,
) -> ShuffleWriteResult:
    """What a fragment that ends in ShuffleWrite writes."""
    output = attributes(**types)
    source = nodes.RowSource(id=1, output=output, children=(), source=0)
    root = exchanges.ShuffleWrite(
        id=0, output=output, children=(source,), partitioning=partitioning
    )
    shuffle_writer = writer(path, list(types.values()), partitioning.partitions, memory)
    context = Run(partition=partition, shuffle_writer=shuffle_writer)
    assert run_rows(root, MemorySources({0: batches}), context=context) == []
    return shuffle_writer.finish()


def segments(path: Path, result: ShuffleWriteResult) -> list[Segment]:
    """One for each partition."""
    starts = np.cumsum([0, *result.lengths]).tolist()
    assert starts[-1] == path.stat().st_size
    pairs = zip(starts, result.lengths, strict=False)
    return [Segment(str(path), start, length) for start, length in pairs]


def read(parts: list[Segment], types: dict[str, DataType]) -> list[tuple[Any, ...]]:
    output = attributes(**types)
    source = exchanges.ShuffleRead(
        id=0,
        output=output,
        children=(),
        source=3,
        types=tuple(types.values()),
        wanted=tuple(range(len(types))),
    )
    return run_rows(source, ShuffleSources(shuffles={3: parts}))


def batch(types: dict[str, DataType], length: int, seed: int) -> pa.RecordBatch:
    """Random rows in Spark's layout, a fifth of them null."""
    random = np.random.default_rng(seed)
    arrays = {}
    for name, type_ in types.items():
        numbers: list[Any] = random.integers(-1000, 1000, length).tolist()
        array = pa.array(map(_value(type_), numbers), *_arrow_type(type_))
        nulls = pa.array(random.random(length) < 0.2)
        arrays[name] = pa.compute.if_else(nulls, pa.scalar(None, array.type), array)
    return pa.RecordBatch.from_pydict(arrays)


def _value(type_: DataType) -> Any:
    def value(number: int) -> Any:
        match type_.name:
            case "boolean":
                return number % 2 == 0
            case "string":
                return "é" * (number % 7) + str(number)
            case "binary":
                return bytes([number % 256]) * (number % 5)
            case "array":
                return [number, None, number + 1][: number % 4]
            case "struct":
                return {"a": str(number), "b": number}
            case "void":
                return None
        return number

    return value


def _arrow_type(type_: DataType) -> tuple[pa.DataType, ...]:
    from broadhead.arrow_layout import arrow_type

    return (arrow_type(type_),)


def hash_of(name: str, types: dict[str, DataType], partitions: int) -> exchanges.Partitioning:
    return exchanges.HashPartitioning(partitions, (column(list(types).index(name), types[name]),))


def rows_of(batches: Sequence[pa.RecordBatch]) -> list[tuple[Any, ...]]:
    return [row for b in batches for row in zip(*(c.to_pylist() for c in b.columns), strict=True)]


def by_repr(rows: list[tuple[Any, ...]]) -> list[str]:
    return sorted(map(repr, rows))


@pytest.mark.parametrize("memory", [1 << 30, 20_000])
def test_all_types_come_back(tmp_path: Path, memory: int) -> None:
    types = ALL_TYPES
    batches = [batch(types, 700, seed) for seed in range(6)]
    path = tmp_path / "data"
    result = write(path, hash_of("long", types, 7), batches, types, memory)
    parts = segments(path, result)
    assert result.rows == 4200
    assert by_repr(read(parts, types)) == by_repr(rows_of(batches))
    homes = defaultdict(set)
    for number, part in enumerate(parts):
        for row in read([part], types):
            homes[row[2]].add(number)
    assert all(len(numbers) == 1 for numbers in homes.values())
    assert list((tmp_path / "data.spill").iterdir()) == []


def test_nested_types_come_back(tmp_path: Path) -> None:
    types = {"key": LONG, **NESTED}
    batches = [batch(types, 300, seed) for seed in range(3)]
    result = write(tmp_path / "data", hash_of("key", types, 3), batches, types)
    parts = segments(tmp_path / "data", result)
    assert by_repr(read(parts, types)) == by_repr(rows_of(batches))


def test_hash_partitions_are_those_of_spark(tmp_path: Path) -> None:
    # SELECT id, pmod(hash(id), 5) FROM range(4)
    types: dict[str, DataType] = {"id": LONG}
    rows = pa.RecordBatch.from_pydict({"id": pa.array([0, 1, 2, 3], pa.int64())})
    result = write(tmp_path / "data", hash_of("id", types, 5), [rows], types)
    found = [read([part], types) for part in segments(tmp_path / "data", result)]
    expected: list[list[tuple[Any, ...]]] = [[] for _ in range(5)]
    # hash(0L), hash(1L), hash(2L), hash(3L) of Spark 4.1
    for number, value in enumerate(SPARK_LONG_HASHES):
        expected[value % 5].append((number,))
    assert found == expected


SPARK_LONG_HASHES = [-1670924195, -1712319331, -797927272, 519220707]


def test_rows_of_a_partition_keep_their_order(tmp_path: Path) -> None:
    types: dict[str, DataType] = {"key": LONG, "place": LONG}
    batches = [
        pa.RecordBatch.from_pydict(
            {
                "key": pa.array([n % 3 for n in range(500)], pa.int64()),
                "place": pa.array(range(start, start + 500), pa.int64()),
            }
        )
        for start in range(0, 3000, 500)
    ]
    result = write(tmp_path / "data", hash_of("key", types, 4), batches, types, memory=10_000)
    for part in segments(tmp_path / "data", result):
        for key in range(3):
            places = [row[1] for row in read([part], types) if row[0] == key]
            assert places == sorted(places)


def test_range_partitions_follow_the_order(tmp_path: Path) -> None:
    types: dict[str, DataType] = {"a": DOUBLE, "b": STRING}
    values = [1.0, None, float("nan"), -0.0, 5.0, 2.0, 0.0, float("inf")]
    rows = pa.RecordBatch.from_pydict(
        {"a": pa.array(values, pa.float64()), "b": pa.array([None, *"bcdefgh"])}
    )
    order = (SortOrder(column(0, DOUBLE), False, True), SortOrder(column(1, STRING), True, False))
    bounds = tuple(
        (literal(number, DOUBLE), literal(text, STRING))
        for number, text in ((float("inf"), "a"), (2.0, "f"), (0.0, "e"))
    )
    partitioning = exchanges.RangePartitioning(4, order, bounds)
    result = write(tmp_path / "data", partitioning, [rows], types)
    found = [read([part], types) for part in segments(tmp_path / "data", result)]
    assert by_repr(found[0]) == by_repr([(None, "b"), (float("nan"), "c")])
    assert by_repr(found[1]) == by_repr([(float("inf"), "h"), (5.0, "e"), (2.0, "f")])
    assert by_repr(found[2]) == by_repr([(1.0, None), (-0.0, "d")])
    assert by_repr(found[3]) == by_repr([(0.0, "g")])


def test_round_robin_is_even_and_starts_elsewhere_in_each_task(tmp_path: Path) -> None:
    types: dict[str, DataType] = {"a": LONG}
    batches = [batch(types, 101, seed) for seed in range(3)]
    robin = exchanges.RoundRobinPartitioning(7)
    result = write(tmp_path / "data", robin, batches, types)
    counts = [len(read([part], types)) for part in segments(tmp_path / "data", result)]
    assert max(counts) - min(counts) <= 1
    one = [batch(types, 1, 0)]
    starts = {
        tuple(
            length > 0 for length in write(tmp_path / "one", robin, one, types, 1 << 30, n).lengths
        )
        for n in range(20)
    }
    assert len(starts) > 3


def test_a_single_partition_keeps_all_in_order(tmp_path: Path) -> None:
    types = ALL_TYPES
    batches = [batch(types, 300, seed) for seed in range(4)]
    result = write(tmp_path / "data", exchanges.SinglePartition(), batches, types)
    (part,) = segments(tmp_path / "data", result)
    assert repr(read([part], types)) == repr(rows_of(batches))


def test_no_rows_make_an_empty_file(tmp_path: Path) -> None:
    for batches in ([], [batch(ALL_TYPES, 0, 0)]):
        result = write(tmp_path / "data", hash_of("long", ALL_TYPES, 5), batches, ALL_TYPES)
        assert (result.lengths, result.rows, result.data_size) == ([0] * 5, 0, 0)
        assert (tmp_path / "data").stat().st_size == 0
        assert read(segments(tmp_path / "data", result), ALL_TYPES) == []


def test_rows_without_columns_are_counted(tmp_path: Path) -> None:
    rows = pa.RecordBatch.from_struct_array(pa.StructArray.from_buffers(pa.struct([]), 11, [None]))
    robin = exchanges.RoundRobinPartitioning(2)
    result = write(tmp_path / "data", robin, [rows, rows], {})
    parts = segments(tmp_path / "data", result)
    assert result.rows == 22
    assert read(parts, {}) == [()] * 22
    assert read(parts[:1], {}) == [()] * 11


def test_data_size_is_that_of_unsafe_rows(tmp_path: Path) -> None:
    types: dict[str, DataType] = {"a": LONG, "b": STRING, "c": decimal(38, 2)}
    rows = pa.RecordBatch.from_pydict(
        {
            "a": pa.array([1, None], pa.int64()),
            "b": ["123456789", None],
            "c": pa.array([None, None], pa.decimal128(38, 2)),
        }
    )
    result = write(tmp_path / "data", exchanges.SinglePartition(), [rows], types)
    # a word of null bits, three of columns, 16 bytes of the decimal, and 9 bytes of text padded
    assert result.data_size == 2 * (8 + 24 + 16) + 16


def test_many_threads_add_to_one_file(tmp_path: Path) -> None:
    path, parts = tmp_path / "data", 13
    shuffle_writer = writer(path, [LONG, STRING], parts, memory=200_000, threads=3)
    kernels = kernels_under_test()

    def add(start: int) -> None:
        for first in range(start, start + 10_000, 500):
            numbers = pa.array(range(first, first + 500), pa.int64())
            arrays = [kernels.columns.from_host(numbers, LONG)]
            arrays.append(kernels.columns.from_host(numbers.cast(pa.string()), STRING))
            hashes = kernels.hash.murmur3(arrays[:1], [LONG], 500, 42)
            data, offsets = kernels.hash.partition(
                arrays, kernels.hash.modulo(hashes, parts), parts
            )
            pairs = zip(data, [LONG, STRING], strict=True)
            rows = tuple(kernels.columns.to_host(d, t) for d, t in pairs)
            shuffle_writer.add(Rows(rows, 500), offsets)

    threads = [threading.Thread(target=add, args=(n * 10_000,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    result = shuffle_writer.finish()
    types: dict[str, DataType] = {"a": LONG, "b": STRING}
    found = read(segments(path, result), types)
    assert sorted(found) == [(n, str(n)) for n in range(40_000)]
    assert result.rows == 40_000


def test_columns_that_nothing_reads_are_not_decoded(tmp_path: Path) -> None:
    types = {**ALL_TYPES, **NESTED}
    rows = [batch(types, 50, 1)]
    result = write(tmp_path / "data", exchanges.SinglePartition(), rows, types)
    output = attributes(**types)
    ordinals = (2, 6, 9)
    source = exchanges.ShuffleRead(
        id=1,
        output=output,
        children=(),
        source=3,
        types=tuple(types.values()),
        wanted=tuple(range(len(types))),
    )
    project = nodes.Project(
        id=0,
        output=tuple(output[i] for i in ordinals),
        children=(source,),
        expressions=tuple(column(i, output[i].type) for i in ordinals),
    )
    pruned = prune(nodes.Fragment(project, nodes.Settings(), {})).root.child
    assert isinstance(pruned, exchanges.ShuffleRead)
    assert pruned.wanted == ordinals
    sources = ShuffleSources(shuffles={3: segments(tmp_path / "data", result)})
    found = run_rows(project, sources)
    assert repr(found) == repr([tuple(row[i] for i in ordinals) for row in rows_of(rows)])


def test_small_blocks_are_put_together() -> None:
    rows = Rows((pa.array(range(10), pa.int64()),), 10)
    block = b"".join(bytes(piece) for piece in encode([rows]))
    data = pa.py_buffer(block * 25)
    sizes = [r.length for r in read_rows([Segment(None, 0, data.size, data)], [LONG], [0], 100)]
    assert sizes == [100, 100, 50]


@pytest.mark.parametrize("codec", [NONE, ZSTD])
def test_other_codecs_are_read(codec: int) -> None:
    values = pa.array([*range(1000), None], pa.int64())
    data = pa.py_buffer(b"".join(bytes(p) for p in encode([Rows((values,), 1001)], codec)))
    (rows,) = read_rows([Segment(None, 0, data.size, data)], [LONG], [0], 5000)
    assert rows.arrays[0].equals(values)


def damaged(path: Path, position: int) -> None:
    content = bytearray(path.read_bytes())
    content[position] ^= 0x40
    path.write_bytes(content)


@pytest.mark.parametrize("where", [0, 5, 9, 13, 17, 20, HEADER.size, -1])
def test_damage_names_the_block(tmp_path: Path, where: int) -> None:
    path = tmp_path / "data"
    types: dict[str, DataType] = {"a": LONG, "b": STRING}
    result = write(path, hash_of("a", types, 3), [batch(types, 900, 4)], types)
    parts = segments(path, result)
    damaged(path, parts[1].offset + where % parts[1].length)
    assert read(parts[:1] + parts[2:], types)
    with pytest.raises(ShuffleBlockError, match="shuffle block of") as caught:
        read(parts, types)
    assert (caught.value.path, caught.value.offset) == (str(path), parts[1].offset)


def test_a_missing_or_short_file_names_the_block(tmp_path: Path) -> None:
    types: dict[str, DataType] = {"a": LONG}
    with pytest.raises(ShuffleBlockError) as caught:
        read([Segment(str(tmp_path / "gone"), 24, 100)], types)
    assert (caught.value.path, caught.value.offset) == (str(tmp_path / "gone"), 24)
    (tmp_path / "short").write_bytes(b"BHS2")
    with pytest.raises(ShuffleBlockError, match="only 4 bytes"):
        read([Segment(str(tmp_path / "short"), 0, 100)], types)
    cut = pa.py_buffer(b"BHS2")
    with pytest.raises(ShuffleBlockError, match="truncated"):
        read([Segment(None, 0, 4, cut)], types)


def sample(rows: Sequence[pa.RecordBatch], size: int, partition: int = 0) -> list[Any]:
    types: dict[str, DataType] = {"a": LONG, "b": STRING}
    source = nodes.RowSource(id=1, output=attributes(**types), children=(), source=0)
    root = exchanges.RangeSample(
        id=0,
        output=attributes(b=STRING, count=LONG),
        children=(source,),
        order=(SortOrder(column(1, STRING), True, True),),
        size=size,
        seed=-5,
    )
    return run_rows(root, MemorySources({0: rows}), context=Run(partition=partition))


def test_a_range_sample_is_even_and_the_same_each_time() -> None:
    numbers = [pa.array(range(n, n + 1000), pa.int64()) for n in range(0, 50_000, 1000)]
    batches = [pa.RecordBatch.from_pydict({"a": n, "b": n.cast(pa.string())}) for n in numbers]
    drawn = sample(batches, 500)
    assert len(drawn) == 500
    assert {count for _, count in drawn} == {50_000}
    assert len({value for value, _ in drawn}) == 500
    assert 22_000 < np.mean([int(value) for value, _ in drawn]) < 28_000
    assert sample(batches, 500) == drawn
    assert sample(batches, 500, partition=1) != drawn
    assert len(sample(batches[:1], 5000)) == 1000
    assert sample([], 10) == []
    assert sample(batches, 0) == []


def test_pruning_below_a_write_keeps_keys_and_output(tmp_path: Path) -> None:
    types: dict[str, DataType] = {"a": LONG, "b": STRING, "c": LONG}
    source = nodes.RowSource(id=2, output=attributes(**types), children=(), source=0)
    project = nodes.Project(
        id=1,
        output=attributes(c=LONG, a=LONG),
        children=(source,),
        expressions=(column(2, LONG), column(0, LONG)),
    )
    root = exchanges.ShuffleWrite(
        id=0,
        output=project.output,
        children=(project,),
        partitioning=exchanges.HashPartitioning(3, (column(1, LONG),)),
    )
    rows = [batch(types, 100, 2)]
    shuffle_writer = writer(tmp_path / "data", [LONG, LONG], 3)
    context = replace(Run(), shuffle_writer=shuffle_writer)
    run_rows(root, MemorySources({0: rows}), context=context)
    found = read(segments(tmp_path / "data", shuffle_writer.finish()), {"c": LONG, "a": LONG})
    assert by_repr(found) == by_repr([(c, a) for a, _, c in rows_of(rows)])
