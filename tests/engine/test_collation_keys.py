"""Strings that have a collation, in the engine: keys come from a stand-in for the JVM."""

from __future__ import annotations

import os
import socket
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from broadhead.errors import EngineLimit
from broadhead.operators.context import Run
from broadhead.plan import joins, nodes
from broadhead.plan.collation_keys import compared_by_keys, keyed_type
from broadhead.plan.expressions import Call, Literal
from broadhead.plan.sort_order import SortOrder
from broadhead.types import (
    BINARY,
    BOOLEAN,
    LONG,
    STRING,
    ArrayType,
    CollatedType,
    DataType,
    MapType,
    StructField,
    StructType,
    parse_type,
)
from broadhead.worker.socket_collations import SocketCollations
from engine.fragments import (
    MemorySources,
    aggregate_call,
    attributes,
    column,
    kernels_under_test,
    literal,
    run_rows,
)

ANY_CASE = CollatedType("string", "UTF8_LCASE", binary_equality=False)
SORTED = CollatedType("string", "UNICODE", binary_equality=True)
WORDS = ["b", "A", None, "B", "", "é", "a", "É", "aa", "b", "Aa", "ß"]
MEMORIES = [nodes.Settings().operator_memory, 100]
BATCHES = 20


class LowerCase:
    """The keys are the strings in lower case."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def keys(self, collation: str, texts: pa.Array) -> pa.Array:
        self.asked += texts.to_pylist()
        return pa.array([text.lower().encode() for text in texts.to_pylist()], pa.binary())


def folded(word: str | None) -> str | None:
    return None if word is None else word.lower()


def in_turn(word: str | None) -> bytes:
    return b"" if word is None else b"\1" + word.lower().encode()


def source(number: int, type_: DataType = ANY_CASE) -> nodes.RowSource:
    output = attributes(k=type_, v=LONG)
    return nodes.RowSource(id=number + 1, output=output, children=(), source=number)


def batches(words: list[str | None] = WORDS) -> list[pa.RecordBatch]:
    return [
        pa.record_batch(
            {
                "k": pa.array(words, pa.string()),
                "v": pa.array(range(n * len(words), (n + 1) * len(words)), pa.int64()),
            }
        )
        for n in range(BATCHES)
    ]


def run_in(
    root: nodes.Node, tables: dict[int, Any], folder: Path, memory: int = MEMORIES[0]
) -> tuple[list[tuple[Any, ...]], bool]:
    """The rows, and whether some were spilled."""
    settings = nodes.Settings(operator_memory=memory, batch_rows=50)
    context = Run(spill_directories=[str(folder)], collations=LowerCase())
    rows = run_rows(root, MemorySources(tables), settings, context)
    return rows, context.metrics.values.get("0.spilledBytes", 0) > 0


@pytest.mark.parametrize("memory", MEMORIES)
def test_groups_have_the_first_of_their_strings(memory: int, tmp_path: Path) -> None:
    node = nodes.HashAggregate(
        id=0,
        output=attributes(k=ANY_CASE, total=LONG),
        children=(source(0),),
        grouping=(column(0, ANY_CASE),),
        aggregates=(
            aggregate_call(
                "Sum", "Complete", LONG, [(LONG, None)], [column(1, LONG)], eval_mode="ANSI"
            ),
        ),
        results=(column(0, ANY_CASE), column(1, LONG)),
    )
    expected: Counter[str | None] = Counter()
    for row, word in enumerate(WORDS * BATCHES):
        expected[folded(word)] += row
    rows, spilled = run_in(node, {0: batches()}, tmp_path, memory)
    assert {folded(word): total for word, total in rows} == dict(expected)
    assert len(rows) == len(expected)
    assert {word for word, _ in rows} <= set(WORDS)
    assert spilled == (memory == min(MEMORIES))


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("ascending", [True, False])
def test_sorts(memory: int, ascending: bool, tmp_path: Path) -> None:
    node = nodes.Sort(
        id=0,
        output=attributes(k=SORTED, v=LONG),
        children=(source(0, SORTED),),
        order=(SortOrder(column(0, SORTED), ascending, ascending),),
        limit=None,
    )
    words = WORDS * BATCHES
    expected = sorted(range(len(words)), key=lambda row: in_turn(words[row]))
    if not ascending:
        expected = sorted(range(len(words)), key=lambda row: in_turn(words[row]), reverse=True)
    rows, spilled = run_in(node, {0: batches()}, tmp_path, memory)
    assert [folded(word) for word, _ in rows] == [folded(words[row]) for row in expected]
    assert sorted(row for _, row in rows) == list(range(len(words)))
    assert all(words[row] == word for word, row in rows)
    assert spilled == (memory == min(MEMORIES))


@pytest.mark.parametrize("type_", [ANY_CASE, SORTED])
def test_joins_go_by_bytes_where_equality_does(type_: CollatedType, tmp_path: Path) -> None:
    node = joins.HashJoin(
        id=0,
        output=attributes(k=type_, v=LONG, k2=type_, v2=LONG),
        children=(source(0, type_), source(1, type_)),
        join_type="Inner",
        build_side="right",
        condition=None,
        left_keys=(column(0, type_),),
        right_keys=(column(0, type_),),
        null_aware=False,
    )
    one = {0: batches()[:1], 1: batches()[:1]}
    rows, _ = run_in(node, one, tmp_path)
    same = (lambda word: word) if type_.binary_equality else folded
    expected = [
        (left, right)
        for left, a in enumerate(WORDS)
        for right, b in enumerate(WORDS)
        if a is not None and b is not None and same(a) == same(b)
    ]
    assert sorted((row[1], row[3]) for row in rows) == expected


def compared(name: str, type_: CollatedType, value: str | None) -> list[Any]:
    call = Call(name, BOOLEAN, True, (column(0, type_), literal(value, type_)))
    root = nodes.Project(
        id=0,
        output=attributes(c=BOOLEAN),
        children=(source(0, type_),),
        expressions=(compared_by_keys(call),),
    )
    context = Run(collations=LowerCase())
    return [row[0] for row in run_rows(root, MemorySources({0: batches()[:1]}), None, context)]


def test_comparisons_go_by_keys() -> None:
    known = [word for word in WORDS if word is not None]
    assert compared("EqualTo", ANY_CASE, "AA") == [
        None if word is None else word.lower() == "aa" for word in WORDS
    ]
    assert compared("EqualTo", SORTED, "Aa").count(True) == known.count("Aa")
    for type_ in (ANY_CASE, SORTED):
        assert compared("LessThan", type_, "B") == [
            None if word is None else word.lower() < "b" for word in WORDS
        ]
    assert compared("EqualNullSafe", ANY_CASE, None) == [word is None for word in WORDS]


def test_each_string_is_asked_for_once_a_batch() -> None:
    kernels = kernels_under_test()
    collations = LowerCase()
    data = kernels.columns.from_arrow(pa.array(["b", "a", "b", None, "a"]), ANY_CASE)
    keys = kernels.keys.collated(data, ANY_CASE, BINARY, collations)
    assert kernels.columns.to_arrow(keys, BINARY).to_pylist() == [b"b", b"a", b"b", None, b"a"]
    assert collations.asked == ["b", "a"]


def test_a_long_list_of_constants_becomes_comparisons() -> None:
    items = tuple(f"word {number}" for number in range(12))
    call = Call("InSet", BOOLEAN, True, (column(0, ANY_CASE),), (("hset", items),))
    bound = compared_by_keys(call)
    assert bound.name == "In"
    assert [child.type for child in bound.children] == [BINARY] * 13
    keys = bound.children[1:]
    assert all(isinstance(key, Call) and isinstance(key.children[0], Literal) for key in keys)


@pytest.mark.skipif(
    os.environ["BROADHEAD_TEST_KERNELS"] == "cudf", reason="nested values keep to Arrow"
)
def test_strings_within_nested_values() -> None:
    fields = (StructField("c", ANY_CASE, True), StructField("p", STRING, True))
    struct = StructType("struct", fields)
    type_ = MapType("map", SORTED, ArrayType("array", struct, True), True)
    wanted = keyed_type(type_, ordering=False)
    assert wanted == MapType(
        "map",
        SORTED,
        ArrayType(
            "array",
            StructType("struct", (StructField("c", BINARY, True), fields[1])),
            True,
        ),
        True,
    )
    value = [("K", [{"c": "X", "p": "Y"}, None, {"c": None, "p": "Z"}]), ("L", None)]
    keys = [("K", [{"c": b"x", "p": "Y"}, None, {"c": None, "p": "Z"}]), ("L", None)]
    kernels = kernels_under_test()
    layout = pa.map_(pa.string(), pa.list_(pa.struct({"c": pa.string(), "p": pa.string()})))
    data = kernels.columns.from_arrow(pa.array([None, value, []], layout), type_)
    for start, expected in ((0, [None, keys, []]), (1, [keys, []])):
        found = kernels.keys.collated(data.slice(start), type_, wanted, LowerCase())
        assert found.to_pylist() == expected


def test_types_of_the_wire_format() -> None:
    json = {"type": "string", "collation": "UNICODE", "binaryEquality": True}
    assert parse_type(json) == SORTED
    assert parse_type({"type": "array", "elementType": json, "containsNull": False}) == ArrayType(
        "array", SORTED, False
    )


@pytest.fixture
def path() -> Iterator[str]:
    """A socket that answers with the collation's name before each string; "stop" ends it."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        name = str(Path(folder, "keys"))
        server.bind(name)
        server.listen()
        threading.Thread(target=_serve, args=(server,), daemon=True).start()
        yield name


def _serve(server: socket.socket) -> None:
    with suppress(OSError):  # the end of the test closes the server
        while True:
            connection, _ = server.accept()
            with connection, connection.makefile("rwb") as stream, suppress(EOFError):
                while True:
                    _answer(stream)


def _answer(stream: Any) -> None:
    head = stream.read(8)
    if not head:
        raise EOFError
    size, count = np.frombuffer(head, ">i4")
    name = stream.read(size)
    lengths = np.frombuffer(stream.read(4 * count), ">i4")
    texts = [stream.read(length) for length in lengths]
    if b"stop" in texts:
        raise EOFError
    keys = [name + text for text in texts]
    stream.write(np.array([len(key) for key in keys], ">i4").tobytes() + b"".join(keys))
    stream.flush()


def test_keys_come_over_the_socket(path: str) -> None:
    collations = SocketCollations(path)
    texts = pa.array(["-", "a", "", "日本", "b" * 100_000]).slice(1)
    keys = collations.keys("de_CI", texts)
    assert keys.to_pylist() == [b"de_CI" + text.encode() for text in texts.to_pylist()]
    assert collations.keys("x", pa.array([], pa.string())).to_pylist() == []
    many = pa.array([str(number) for number in range(40_000)])
    assert collations.keys("", many).to_pylist() == [text.encode() for text in many.to_pylist()]
    collations.close()


def test_the_end_of_the_keys_is_named(path: str) -> None:
    collations = SocketCollations(path)
    with pytest.raises(EngineLimit, match="the JVM sends no"):
        collations.keys("x", pa.array(["stop"]))
    with pytest.raises(EngineLimit, match="names no socket"):
        SocketCollations(None).keys("x", pa.array(["a"]))
    with pytest.raises(EngineLimit, match="the JVM sends no"):
        SocketCollations(path + "-elsewhere").keys("x", pa.array(["a"]))
