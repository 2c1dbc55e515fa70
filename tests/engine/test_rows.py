"""Operators that make rows, multiply them or choose among them."""

from __future__ import annotations

import base64
import json
from typing import Any

import pyarrow as pa
import pytest

from broadhead.kernels.random_values import Gaussians, Texts, Uuids
from broadhead.kernels.xorshift import BLOCK, XorShiftRandom, hash_seed
from broadhead.plan import nodes, row_nodes
from broadhead.plan.decode import decode_node
from broadhead.types import INTEGER, LONG, STRING, ArrayType, DataType, MapType, StructType
from engine.fragments import (
    MemorySources,
    aggregate_call,
    attributes,
    call,
    column,
    literal,
    run_rows,
)

TINY = nodes.Settings(batch_rows=3)
NUMBERS = ArrayType("array", INTEGER, contains_null=True)
WORDS = MapType("map", STRING, LONG, value_contains_null=True)


def rows_of(**columns: pa.Array) -> MemorySources:
    return MemorySources({0: [pa.record_batch(columns)]})


def source(**types: DataType) -> nodes.RowSource:
    return nodes.RowSource(id=1, output=attributes(**types), children=(), source=0)


def in_slices(root: nodes.Node, slices: int, **settings: Any) -> list[list[tuple[Any, ...]]]:
    return [
        run_rows(root, MemorySources(partition=number), nodes.Settings(**settings))
        for number in range(slices)
    ]


@pytest.mark.parametrize(
    ("start", "step", "count", "slices"),
    [
        (0, 1, 10, 3),
        (5, -2, 7, 2),
        (0, 1, 2, 5),
        (-(2**63), 2**62, 4, 3),
        (2**63 - 4, 1, 3, 2),
        (-(2**63) + 2, -1, 3, 4),
        (3, 1, 0, 2),
    ],
)
def test_range_divides_its_numbers(start: int, step: int, count: int, slices: int) -> None:
    root = row_nodes.Range(
        id=0,
        output=attributes(id=LONG),
        children=(),
        start=start,
        step=step,
        count=count,
        slices=slices,
    )
    found = in_slices(root, slices, batch_rows=3)
    assert [v for rows in found for (v,) in rows] == [start + i * step for i in range(count)]
    assert [len(rows) for rows in found] == [
        (i + 1) * count // slices - i * count // slices for i in range(slices)
    ]


def test_local_table_divides_its_rows() -> None:
    batch = pa.record_batch({"n": pa.array([1, 2, 3, 4, 5], pa.int32()), "s": list("abcde")})
    message = {
        "op": "LocalTable",
        "id": 0,
        "output": [
            {"name": "n", "type": "integer", "nullable": True},
            {"name": "s", "type": "string", "nullable": True},
        ],
        "children": [],
        "data": base64.b64encode(batch.serialize().to_pybytes()).decode(),
        "slices": 3,
    }
    found = in_slices(decode_node(json.loads(json.dumps(message))), 3)
    assert found == [[(1, "a")], [(2, "b"), (3, "c")], [(4, "d"), (5, "e")]]


def scalar_numbers(seed: int, count: int) -> list[float]:
    """`XORShiftRandom.nextDouble`, one by one."""
    mask = (1 << 64) - 1
    state = hash_seed(seed)
    numbers = []
    for _ in range(count):
        bits = []
        for width in (26, 27):
            state ^= state << 21 & mask
            state ^= state >> 35
            state ^= state << 4 & mask
            bits.append(state & (1 << width) - 1)
        numbers.append(((bits[0] << 27) + bits[1]) * 2.0**-53)
    return numbers


@pytest.mark.parametrize("seed", [0, 1, -1, 2**63 - 1, -(2**63)])
def test_random_numbers_are_those_of_the_generator(seed: int) -> None:
    random = XorShiftRandom(seed)
    found = [x for size in (1, 0, 5, 2 * BLOCK + 7) for x in random.doubles(size)]
    assert found == scalar_numbers(seed, 2 * BLOCK + 13)


def test_random_values_do_not_depend_on_batches() -> None:
    for make in (lambda: Gaussians(3), lambda: Texts(3, 4), lambda: Uuids(3)):
        whole, parts = make(), make()
        sizes = (1, 0, 5, 70_000, 3)
        taken = [value for size in sizes for value in list(parts.take(size))]
        assert taken == list(whole.take(sum(sizes)))


@pytest.mark.parametrize("batch_rows", [3, 131_072])
def test_sample_takes_one_number_a_row(batch_rows: int) -> None:
    root = row_nodes.Sample(
        id=0,
        output=attributes(n=INTEGER),
        children=(source(n=INTEGER),),
        lower=0.25,
        upper=0.5,
        seed=42,
    )
    sources = rows_of(n=pa.array(range(1_000), pa.int32()))
    sources.partition = 2
    found = run_rows(root, sources, nodes.Settings(batch_rows=batch_rows))
    drawn = scalar_numbers(44, 1_000)
    assert found == [(i,) for i, x in enumerate(drawn) if 0.25 <= x < 0.5]


@pytest.mark.parametrize("batch_rows", [1, 3, 131_072])
def test_sample_with_replacement_repeats_rows(batch_rows: int) -> None:
    root = row_nodes.SampleWithReplacement(
        id=0, output=attributes(n=INTEGER), children=(source(n=INTEGER),)
    )
    sources = rows_of(n=pa.array([*range(100), None], pa.int32()))
    sources.drawn = [(n * 7) % 4 for n in range(101)]
    found = run_rows(root, sources, nodes.Settings(batch_rows=batch_rows))
    rows = [(n,) for n in (*range(100), None)]
    assert found == [r for r, c in zip(rows, sources.drawn, strict=True) for _ in range(c)]
    sources.drawn = [0] * 101
    assert run_rows(root, sources, nodes.Settings(batch_rows=batch_rows)) == []


EXPANDED = [(1, "p", 0), (1, None, 1), (None, None, 7), (2, None, 0), (2, None, 1), (None, None, 8)]


@pytest.mark.parametrize("batch_rows", [1, 3, 1000])
def test_expand_gives_each_projection(batch_rows: int) -> None:
    a, b = column(0, INTEGER), column(1, STRING)
    root = row_nodes.Expand(
        id=0,
        output=attributes(a=INTEGER, b=STRING, g=LONG),
        children=(source(x=INTEGER, y=STRING, z=LONG),),
        projections=(
            (a, b, literal(0, LONG)),
            (a, literal(None, STRING), literal(1, LONG)),
            (literal(None, INTEGER), literal(None, STRING), column(2, LONG)),
        ),
    )
    sources = rows_of(
        x=pa.array([1, 2], pa.int32()), y=pa.array(["p", None]), z=pa.array([7, 8], pa.int64())
    )
    settings = nodes.Settings(batch_rows=batch_rows)
    assert sorted(run_rows(root, sources, settings), key=repr) == sorted(EXPANDED, key=repr)


def generate(
    name: str,
    children: list[Any],
    child: nodes.Node,
    required: tuple[int, ...],
    *,
    outer: bool = False,
    **types: DataType,
) -> row_nodes.Generate:
    passed = {f"_{i}": child.output[i].type for i in required}
    return row_nodes.Generate(
        id=0,
        output=attributes(**passed, **types),
        children=(child,),
        generator=row_nodes.Generator(name, tuple(children), outer),
        required=required,
    )


LISTS = [[1, 2], None, [], [None], [3, 4, 5, 6]]


def lists() -> MemorySources:
    return rows_of(
        k=pa.array(range(len(LISTS)), pa.int32()), a=pa.array(LISTS, pa.list_(pa.int32()))
    )


def exploded(*, outer: bool) -> list[tuple[Any, ...]]:
    return [
        (k, position, value)
        for k, values in enumerate(LISTS)
        for position, value in (list(enumerate(values or ())) or ([(None, None)] if outer else []))
    ]


@pytest.mark.parametrize("outer", [False, True])
@pytest.mark.parametrize("batch_rows", [1, 3, 131_072])
def test_explode(outer: bool, batch_rows: int) -> None:
    child = source(k=INTEGER, a=NUMBERS)
    settings = nodes.Settings(batch_rows=batch_rows)
    root = generate(
        "PosExplode", [column(1, NUMBERS)], child, (0,), outer=outer, pos=INTEGER, col=INTEGER
    )
    assert run_rows(root, lists(), settings) == exploded(outer=outer)
    root = generate("Explode", [column(1, NUMBERS)], child, (0,), outer=outer, col=INTEGER)
    assert run_rows(root, lists(), settings) == [(k, v) for k, _, v in exploded(outer=outer)]


def test_explode_of_maps() -> None:
    child = source(m=WORDS, k=INTEGER)
    sources = rows_of(
        m=pa.array([[("a", 1), ("b", None)], None, []], pa.map_(pa.string(), pa.int64())),
        k=pa.array([1, 2, 3], pa.int32()),
    )
    children = [column(0, WORDS)]
    root = generate("Explode", children, child, (1,), key=STRING, value=LONG)
    assert run_rows(root, sources, TINY) == [(1, "a", 1), (1, "b", None)]
    root = generate(
        "PosExplode", children, child, (1,), outer=True, pos=INTEGER, key=STRING, value=LONG
    )
    assert run_rows(root, sources, TINY) == [
        (1, 0, "a", 1),
        (1, 1, "b", None),
        (2, None, None, None),
        (3, None, None, None),
    ]


def test_inline() -> None:
    from broadhead.types import StructField

    pair = StructType(
        "struct",
        (StructField("x", INTEGER, nullable=True), StructField("y", STRING, nullable=True)),
    )
    pairs = ArrayType("array", pair, contains_null=True)
    values = [[{"x": 1, "y": "a"}, None], None, [{"x": None, "y": "b"}]]
    sources = rows_of(
        a=pa.array(values, pa.list_(pa.struct([("x", pa.int32()), ("y", pa.string())])))
    )
    root = generate("Inline", [column(0, pairs)], source(a=pairs), (), x=INTEGER, y=STRING)
    assert run_rows(root, sources, TINY) == [(1, "a"), (None, None), (None, "b")]


@pytest.mark.parametrize("batch_rows", [1, 3, 131_072])
def test_stack(batch_rows: int) -> None:
    child = source(k=INTEGER, a=LONG, b=LONG)
    a, b = column(1, LONG), column(2, LONG)
    root = generate(
        "Stack",
        [literal(2, INTEGER), a, literal("x", STRING), b],
        child,
        (0,),
        col0=LONG,
        col1=STRING,
    )
    sources = rows_of(
        k=pa.array(range(5), pa.int32()),
        a=pa.array(range(10, 15), pa.int64()),
        b=pa.array([20, None, 22, 23, 24], pa.int64()),
    )
    found = run_rows(root, sources, nodes.Settings(batch_rows=batch_rows))
    expected = [20, None, 22, 23, 24]
    assert found == [row for k in range(5) for row in ((k, 10 + k, "x"), (k, expected[k], None))]


def test_replicated_rows() -> None:
    child = source(n=LONG, s=STRING)
    root = generate("ReplicateRows", [column(0, LONG), column(1, STRING)], child, (), col0=STRING)
    sources = rows_of(n=pa.array([2, 0, 1], pa.int64()), s=pa.array(["a", "b", None]))
    assert run_rows(root, sources, TINY) == [("a",), ("a",), (None,)]


def test_columns_that_nothing_reads_are_not_made() -> None:
    count = aggregate_call("Count", "Complete", LONG, [(LONG, None)], [literal(1, INTEGER)])
    child = source(k=INTEGER, a=NUMBERS)
    root = nodes.HashAggregate(
        id=5,
        output=attributes(n=LONG),
        children=(
            generate("PosExplode", [column(1, NUMBERS)], child, (0,), pos=INTEGER, col=INTEGER),
        ),
        grouping=(),
        aggregates=(count,),
        results=(column(0, LONG),),
    )
    assert run_rows(root, lists(), TINY) == [(7,)]


def test_filter_over_a_generator_keeps_what_it_reads() -> None:
    child = source(k=INTEGER, a=NUMBERS)
    exploding = generate(
        "PosExplode", [column(1, NUMBERS)], child, (0, 1), pos=INTEGER, col=INTEGER
    )
    condition = call("GreaterThan", DataType("boolean"), column(3, INTEGER), literal(3, INTEGER))
    filtered = nodes.Filter(
        id=6, output=exploding.output, children=(exploding,), condition=condition
    )
    root = nodes.Project(
        id=7, output=attributes(k=INTEGER), children=(filtered,), expressions=(column(0, INTEGER),)
    )
    assert run_rows(root, lists(), TINY) == [(4,), (4,), (4,)]
