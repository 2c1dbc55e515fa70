"""Shuffle blocks that the JVM writes and reads itself, since a replay must not need Python."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from broadhead.kernels.arrow.arrays.layout import UNSCALED, physical_type
from broadhead.shuffle.block import HEADER, Rows, encode
from broadhead.shuffle.buffers import LZ4, NONE, ZSTD
from broadhead.shuffle.reader import Segment, read_rows
from broadhead.types import parse_type
from spark.answers import Answers, plan_of
from spark.test_broadcast import metric, nodes_of
from sql_sessions import answer_of, compare, configured, replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    Configure = Callable[..., None]

NUMBERS = {
    "byte": (np.int8, 8),
    "short": (np.int16, 16),
    "integer": (np.int32, 32),
    "date": (np.int32, 32),
    "long": (np.int64, 64),
    "timestamp": (np.int64, 64),
    "decimal(18,2)": (np.int64, 64),
    "decimal(38,2)": (np.int64, 64),
}
SPANS = [0, 1, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**64 - 1]

OTHERS: dict[str, list[list[Any]]] = {
    "boolean": [[True, False], [True, True], [None, True], [None, None]],
    "float": [[float("nan"), -0.0], [1.5, 1.5], [None, float("-inf")]],
    "double": [[float("nan"), -0.0], [0.0, 0.0], [None, 2.5]],
    "string": [["", "ä€😀"], ["same", "same"], [None, "x" * 300], [None, None], ["", ""]],
    "binary": [[b"", b"\xff\x00"], [None, b"ab"], [None, None]],
    "decimal(38,2)": [
        [Decimal(10**37), Decimal(-(10**37))],
        [None, Decimal(-(10**20))],
        [Decimal(2**63 - 1), Decimal(-(2**63))],
    ],
}
"""Columns of two rows each."""

NESTED = {
    "array": {"type": "array", "elementType": "decimal(20,2)", "containsNull": True},
    "map": {
        "type": "map",
        "keyType": "string",
        "valueType": "double",
        "valueContainsNull": True,
    },
    "struct": {
        "type": "struct",
        "fields": [
            {"name": "a", "type": "integer", "nullable": True, "metadata": {}},
            {"name": "b", "type": "binary", "nullable": True, "metadata": {}},
        ],
    },
}


class JvmBlocks:
    """Sends blocks through the JVM, which decodes them and writes others of the same rows."""

    def __init__(self, answers: Answers) -> None:
        self._jvm: Any = answers.session._jvm.org.apache.spark.sql
        self._allocator = self._jvm.broadhead.arrow.ArrowLayout.newAllocator("test")

    def written_again(self, data: bytes, types: list[Any]) -> bytes:
        """The JVM's block of the rows of a block of Python."""
        fields = [
            {"name": f"c{n}", "type": type_, "nullable": True, "metadata": {}}
            for n, type_ in enumerate(types)
        ]
        text = json.dumps({"type": "struct", "fields": fields})
        schema = self._jvm.types.DataType.fromJson(text)
        decoder = self._jvm.broadhead.shuffle.BlockDecoder(schema, self._allocator)
        try:
            root = decoder.decode(data)
            return bytes(self._jvm.broadhead.shuffle.BlockEncoder(schema).encode(root))
        finally:
            decoder.close()

    def close(self) -> int:
        """Bytes that were not given back."""
        left = int(self._allocator.getAllocatedMemory())
        self._allocator.close()
        return left


@pytest.fixture
def blocks(answers: Answers) -> Any:
    made = JvmBlocks(answers)
    yield made
    assert made.close() == 0


def block(arrays: list[pa.Array], codec: int) -> bytes:
    rows = Rows(tuple(arrays), len(arrays[0]))
    return b"".join(bytes(piece) for piece in encode([rows], codec))


def check(blocks: JvmBlocks, arrays: list[pa.Array], types: list[Any]) -> None:
    """The columns come back from the JVM, whatever codec and widths Python gave them."""
    known = [parse_type(type_) for type_ in types]
    for codec in (NONE, LZ4, ZSTD):
        data = blocks.written_again(block(arrays, codec), types)
        buffer = pa.py_buffer(data)
        segments = [Segment(None, 0, len(data), buffer)]
        (rows,) = read_rows(segments, known, range(len(types)), 1 << 30)
        for array, found, type_ in zip(arrays, rows.arrays, types, strict=True):
            found.validate(full=True)
            expected = array.cast(found.type) if found.type == UNSCALED else array
            assert bits(found) == bits(expected), type_


def bits(array: pa.Array) -> list[Any]:
    """The values; floats and dates as the integers that they are stored as."""
    if pa.types.is_floating(array.type) or pa.types.is_date(array.type):
        width = array.type.bit_width
        return array.view(f"int{width}").to_pylist()
    # NaN is not equal to itself, its text is
    return list(map(str, array.to_pylist()))


@pytest.mark.parametrize("type_", NUMBERS)
def test_integers_of_every_width(blocks: JvmBlocks, type_: str) -> None:
    numpy_type, size = NUMBERS[type_]
    low, high = -(1 << size - 1), (1 << size - 1) - 1
    columns = []
    for span in SPANS:
        for least in {low, high - span, -1, 0, -span // 2}:
            if low <= least <= high - span:
                values = np.array([least, least + span, least, least + span // 2], numpy_type)
                layout = physical_type(parse_type(type_))
                columns.append(pa.array(values).view(layout))
                holes = pa.array(values, mask=np.array([False, False, True, False]))
                columns.append(holes.view(layout))
    check(blocks, columns, [type_] * len(columns))


def test_other_columns(blocks: JvmBlocks) -> None:
    arrays, types = [], []
    for type_, columns in OTHERS.items():
        layout = UNSCALED if type_.startswith("decimal") else physical_type(parse_type(type_))
        for column in columns:
            arrays.append(pa.array(column, layout))
            types.append(type_)
    arrays.append(pa.array([None, None], pa.bool_()))
    types.append("void")
    check(blocks, arrays, types)


def test_nested_columns(blocks: JvmBlocks) -> None:
    layouts = {name: physical_type(parse_type(type_)) for name, type_ in NESTED.items()}
    values = {
        "array": [[Decimal("1.25"), None], None, [], [Decimal(10**16)]],
        "map": [[("a", float("nan")), ("b", None)], [], None, [("", -0.0)]],
    }
    arrays = [pa.array(column, layouts[name]) for name, column in values.items()]
    fields = [pa.array([1, None, 3, 4], pa.int32()), pa.array([b"", b"x", None, b"z"])]
    struct = pa.StructArray.from_arrays(
        fields, fields=list(layouts["struct"]), mask=pa.array([False, False, True, False])
    )
    check(blocks, [*arrays, struct], [NESTED[name] for name in ("array", "map", "struct")])


def test_many_rows_that_compress(blocks: JvmBlocks) -> None:
    count = 70_000
    arrays = [
        pa.array(np.arange(count) % 7),
        pa.array(np.arange(count, dtype=np.int64) << 33),
        pa.array([None if n % 3 else "text" * (n % 5) for n in range(count)]),
        pa.array([n % 2 == 0 for n in range(count)]),
    ]
    check(blocks, arrays, ["long", "long", "string", "boolean"])


def test_directories_that_do_not_fit(blocks: JvmBlocks) -> None:
    """Other values, or an error that says so: nothing is read behind the end of a buffer."""
    from py4j.protocol import Py4JJavaError

    failures = []
    for position in range(HEADER.size, HEADER.size + 5 * 16):
        data = bytearray(block([pa.array([1, 300]), pa.array(["a", "bc"])], NONE))
        data[position] ^= 0xFF
        try:
            blocks.written_again(bytes(data), ["long", "string"])
        except Py4JJavaError as error:
            failures.append(str(error.java_exception).splitlines()[0])
    assert len(failures) > 20
    assert {failure.split(":")[0].rpartition(".")[2] for failure in failures} == {
        "DamagedBlockException"
    }


COLUMNS = {
    "truth": "nullif(id % 3, 0) = 1",
    "tiny": "CAST(id % 100 AS TINYINT)",
    "small": "nullif(CAST(id AS SMALLINT), 7S)",
    "number": "CAST(id AS INT)",
    "single": "CAST(if(id % 4 = 0, 'NaN', if(id % 4 = 1, '-0.0', string(id))) AS FLOAT)",
    "real": "CAST(if(id % 4 = 0, 'NaN', if(id % 4 = 1, '-0.0', string(id))) AS DOUBLE)",
    "narrow": "CAST(id AS DECIMAL(18,2))",
    "wide": "CAST(if(id % 3 = 0, NULL, power(-10, id % 30)) AS DECIMAL(38,2))",
    "text": "nullif(repeat('ä', CAST(id % 20 AS INT)), 'ää')",
    "collated": "CAST(id AS STRING) COLLATE UNICODE_CI",
    "binary": "CAST(repeat('y', CAST(id % 3 AS INT)) AS BINARY)",
    "day": "if(id % 3 = 0, NULL, date_add(DATE'1969-12-30', CAST(id AS INT)))",
    "instant": "timestamp_micros(id * 1000003 - 50)",
    "local": "CAST(timestamp_micros(id) AS TIMESTAMP_NTZ)",
    "seconds": "if(id % 3 = 0, NULL, make_dt_interval(0, 0, 0, id))",
    "longs": "if(id % 5 = 0, NULL, array(id, nullif(id, 7)))",
    "empty": "CAST(array() AS ARRAY<STRING>)",
    "pair": "if(id % 4 = 0, NULL, named_struct('a', nullif(id, 3), 'b', string(id)))",
    "deep": "map(id, array(named_struct('w', CAST(id AS DECIMAL(20,2)))), -1L, NULL)",
}


@pytest.fixture(scope="module")
def rows(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    """Rows of two files."""
    path = str(tmp_path_factory.mktemp("rows") / "t")
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        columns = [f"{sql} AS {name}" for name, sql in COLUMNS.items()]
        answers.session.range(0, 500, 1, 2).selectExpr("id", *columns).write.parquet(path)
    return answers.session.read.parquet(path)


@pytest.fixture
def table(rows: DataFrame, configuration: Configure) -> DataFrame:
    """The rows in two tasks, without adaptive execution."""
    configuration(spark__sql__adaptive__enabled="false", spark__sql__files__openCostInBytes="1g")
    return rows.select("*")


def shuffled(table: DataFrame) -> DataFrame:
    """Two map tasks and three others, with rows of all types between them."""
    return table.repartition(3, "id").selectExpr("*", "id + 1 AS n")


def exchanges(frame: DataFrame) -> list[Any]:
    found = nodes_of(frame, "BroadheadShuffleExchange")
    assert found, plan_of(frame)
    return found


def write_shuffle(frame: DataFrame) -> None:
    """Runs the map side alone; without adaptive execution collect() finds its files."""
    (exchange,) = exchanges(frame)
    written = exchange.mapOutputStatisticsFuture()
    while not written.isCompleted():
        time.sleep(0.02)


def was_written_again(frame: DataFrame) -> bool:
    """Whether the last action ran map tasks: it begins with metrics of 0."""
    return any(metric(exchange, "shuffleRecordsWritten") for exchange in exchanges(frame))


def by_spark(answers: Answers, frame: DataFrame) -> pa.Table:
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        return answer_of(frame.select("*"))


def test_the_engine_reads_blocks_of_the_jvm(answers: Answers, table: DataFrame) -> None:
    frame = shuffled(table)
    with answers.without_workers():
        write_shuffle(frame)
    assert replayed(frame) == 2, plan_of(frame)
    compare(by_spark(answers, frame), answer_of(frame), 0)
    assert replayed(frame) == 0, plan_of(frame)
    assert not was_written_again(frame)


def test_the_jvm_reads_blocks_of_the_engine(answers: Answers, table: DataFrame) -> None:
    frame = shuffled(table)
    write_shuffle(frame)
    assert replayed(frame) == 0, plan_of(frame)
    with answers.without_workers():
        compare(by_spark(answers, frame), answer_of(frame), 0)
    assert replayed(frame) == 3
    assert not was_written_again(frame)


def test_the_jvm_reads_blocks_of_the_jvm(answers: Answers, table: DataFrame) -> None:
    frame = shuffled(table)
    with answers.without_workers():
        write_shuffle(frame)
        compare(by_spark(answers, frame), answer_of(frame), 0)
    assert replayed(frame) == 3
    assert not was_written_again(frame)


def test_damaged_blocks_are_made_again(answers: Answers, table: DataFrame) -> None:
    """Spark runs the map tasks of the files again that the JVM cannot read."""
    folder = Path(answers.session.sparkContext.getConf().get("spark.local.dir") or "")
    for change in (flipped, cut, Path.unlink):
        frame = shuffled(table)
        write_shuffle(frame)
        (exchange,) = exchanges(frame)
        files = list(folder.rglob(f"shuffle_{exchange.shuffleId()}_*.data"))
        assert len(files) == 2
        change(files[0])
        with answers.without_workers():
            compare(by_spark(answers, frame), answer_of(frame), 0)
        assert replayed(frame) > 3, plan_of(frame)


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def test_rows_go_where_the_engine_sends_them(answers: Answers, table: DataFrame) -> None:
    """A task that is repeated may be the engine's the first time and Spark's the second."""
    for partitioned in (
        lambda: table.repartition(7),
        lambda: table.repartition(5, "id"),
        lambda: table.selectExpr("id", "string(id) AS s", "-0.0D AS z").repartition(5, "s", "z"),
        lambda: table.repartition(4, table["id"] % 9),
        lambda: table.coalesce(1).repartitionByRange(3, table["id"].desc()),
        lambda: table.repartition(1),
    ):
        expected = sorted(with_partition(partitioned()).collect())
        with answers.without_workers():
            frame = with_partition(partitioned())
            assert sorted(frame.collect()) == expected
        assert replayed(frame) > 0, plan_of(frame)


def with_partition(frame: DataFrame) -> DataFrame:
    return frame.selectExpr("id", "spark_partition_id() AS p")
