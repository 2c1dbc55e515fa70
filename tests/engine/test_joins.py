"""Joins of random tables against pairs found one by one."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from broadhead.errors import WouldRaise
from broadhead.operators.context import Run
from broadhead.plan import nodes
from broadhead.plan.expressions import Expression
from broadhead.plan.joins import HashJoin, JoinType, NestedLoopJoin
from broadhead.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING
from engine.fragments import (
    MemorySources,
    attributes,
    call,
    column,
    kernels_under_test,
    literal,
    run_rows,
)

Rows = Sequence[tuple[Any, ...]]

JOIN_TYPES: list[JoinType] = [
    "Inner",
    "LeftOuter",
    "RightOuter",
    "FullOuter",
    "LeftSemi",
    "LeftAnti",
    "ExistenceJoin",
]


def third_by_day(*values: Sequence[Any]) -> list[Any]:
    """All combinations; by day a third of them."""
    return [
        pytest.param(
            *(own[number] for own, number in zip(values, numbers, strict=True)),
            marks=pytest.mark.nightly if sum(numbers) % 3 else [],
        )
        for numbers in product(*(range(len(own)) for own in values))
    ]


SIDES = ["left", "right"]
LESS = [False, True]
MEMORY = [1_000, 1 << 20]

TYPES = {"k": LONG, "s": STRING, "d": DOUBLE, "v": LONG}
ARROW = [pa.int64(), pa.string(), pa.float64(), pa.int64()]
WIDTH = len(TYPES)


def row_source(id_: int, source: int) -> nodes.RowSource:
    return nodes.RowSource(id=id_, output=attributes(**TYPES), children=(), source=source)


def random_rows(rng: random.Random, count: int, keys: int, nulls: float = 0.1) -> Rows:
    doubles = [0.0, -0.0, math.nan, math.inf, 1.5, None, *map(float, range(keys))]

    def maybe(value: Any) -> Any:
        return None if rng.random() < nulls else value

    return [
        (
            maybe(rng.randrange(keys)),
            maybe(rng.choice(["", "a", "ab"]) + str(rng.randrange(keys))),
            rng.choice(doubles),
            number,
        )
        for number in range(count)
    ]


def batches(rows: Rows, size: int) -> list[pa.RecordBatch]:
    return [
        pa.record_batch(
            [
                pa.array(column, type_)
                for column, type_ in zip(
                    zip(*rows[start : start + size], strict=True), ARROW, strict=True
                )
            ],
            names=list(TYPES),
        )
        for start in range(0, len(rows), size)
    ]


def comparable(value: Any) -> Any:
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    return value


def expected(
    left: Rows, right: Rows, join_type: JoinType, keys: Sequence[int], *, less: bool
) -> list[tuple[Any, ...]]:
    by_key: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for b in right:
        by_key.setdefault(tuple(comparable(b[k]) for k in keys), []).append(b)

    def partners(a: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        values = tuple(comparable(a[k]) for k in keys)
        found = [] if None in values else by_key.get(values, [])
        return [b for b in found if not less or a[3] < b[3]]

    matches = [partners(a) for a in left]
    nothing = (None,) * WIDTH
    if join_type == "LeftSemi":
        return [a for a, found in zip(left, matches, strict=True) if found]
    if join_type == "LeftAnti":
        return [a for a, found in zip(left, matches, strict=True) if not found]
    if join_type == "ExistenceJoin":
        return [(*a, bool(found)) for a, found in zip(left, matches, strict=True)]
    rows = [(*a, *b) for a, found in zip(left, matches, strict=True) for b in found]
    if join_type in {"LeftOuter", "FullOuter"}:
        rows += [(*a, *nothing) for a, found in zip(left, matches, strict=True) if not found]
    if join_type in {"RightOuter", "FullOuter"}:
        met = {b[3] for found in matches for b in found}
        rows += [(*nothing, *b) for b in right if b[3] not in met]
    return rows


def output(join_type: JoinType) -> tuple[nodes.Attribute, ...]:
    left = attributes(**TYPES)
    if join_type in {"LeftSemi", "LeftAnti"}:
        return left
    if join_type == "ExistenceJoin":
        return (*left, *attributes(exists=BOOLEAN))
    return left + left


def condition(*, less: bool) -> Expression | None:
    return call("LessThan", BOOLEAN, column(3, LONG), column(WIDTH + 3, LONG)) if less else None


def hash_join(
    join_type: JoinType, build_side: Any, keys: Sequence[int], *, less: bool = False
) -> HashJoin:
    types = list(TYPES.values())
    return HashJoin(
        id=0,
        output=output(join_type),
        children=(row_source(1, 0), row_source(2, 1)),
        join_type=join_type,
        build_side=build_side,
        condition=condition(less=less),
        left_keys=tuple(column(k, types[k]) for k in keys),
        right_keys=tuple(column(k, types[k]) for k in keys),
        null_aware=False,
    )


def nested_loop_join(join_type: JoinType, build_side: Any, *, less: bool) -> NestedLoopJoin:
    return NestedLoopJoin(
        id=0,
        output=output(join_type),
        children=(row_source(1, 0), row_source(2, 1)),
        join_type=join_type,
        build_side=build_side,
        condition=condition(less=less),
    )


def counted(rows: Rows) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(map(comparable, row)) for row in rows)


def check(
    node: HashJoin | NestedLoopJoin,
    left: Rows,
    right: Rows,
    keys: Sequence[int],
    settings: nodes.Settings,
    context: Run | None = None,
    size: int = 37,
) -> None:
    sources = MemorySources({0: batches(left, size), 1: batches(right, size)})
    found = run_rows(node, sources, settings, context)
    wanted = expected(left, right, node.join_type, keys, less=node.condition is not None)
    assert counted(found) == counted(wanted)


@pytest.mark.parametrize(("join_type", "build_side", "less"), third_by_day(JOIN_TYPES, SIDES, LESS))
def test_random_tables(join_type: JoinType, build_side: str, less: bool) -> None:
    rng = random.Random(f"{join_type} {build_side} {less}")
    for keys in ([0], [1], [2], [0, 1], [2, 0]):
        for sizes in ((60, 80), (0, 20), (20, 0), (0, 0), (90, 5)):
            left, right = (random_rows(rng, size, rng.choice([4, 60])) for size in sizes)
            node = hash_join(join_type, build_side, keys, less=less)
            check(node, left, right, keys, nodes.Settings(batch_rows=rng.choice([7, 100, 10_000])))


@pytest.mark.parametrize(("join_type", "build_side", "less"), third_by_day(JOIN_TYPES, SIDES, LESS))
def test_beyond_the_memory_limit(
    tmp_path: Path, join_type: JoinType, build_side: str, less: bool
) -> None:
    rng = random.Random(f"spilled {join_type} {build_side} {less}")
    for keys, range_ in (([0], 300), ([1], 100), ([0], 2), ([2], 40)):
        left, right = (random_rows(rng, 250, range_, nulls=0.05) for _ in range(2))
        context = Run(spill_directories=[str(tmp_path)])
        node = hash_join(join_type, build_side, keys, less=less)
        settings = nodes.Settings(batch_rows=64, operator_memory=700)
        check(node, left, right, keys, settings, context)
        assert context.metrics.values["0.spilledBytes"] > 0
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("join_type", "build_side", "less", "memory"), third_by_day(JOIN_TYPES, SIDES, LESS, MEMORY)
)
def test_nested_loops(join_type: JoinType, build_side: str, less: bool, memory: int) -> None:
    rng = random.Random(f"loops {join_type} {build_side} {less}")
    for sizes in ((50, 60), (0, 9), (9, 0), (0, 0), (1, 100)):
        left, right = (random_rows(rng, size, 5) for size in sizes)
        node = nested_loop_join(join_type, build_side, less=less)
        settings = nodes.Settings(batch_rows=100, operator_memory=memory)
        check(node, left, right, [], settings, size=11)


@pytest.fixture
def row_scans(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that test few rows too with one other row at a time."""
    monkeypatch.setattr(kernels_under_test().join, "scans", lambda rows: True)


@pytest.mark.usefixtures("row_scans")
@pytest.mark.parametrize(
    ("join_type", "build_side", "memory"), third_by_day(JOIN_TYPES, SIDES, MEMORY)
)
def test_one_row_at_a_time(join_type: JoinType, build_side: str, memory: int) -> None:
    rng = random.Random(f"scans {join_type} {build_side}")
    node = nested_loop_join(join_type, build_side, less=True)
    settings = nodes.Settings(batch_rows=100, operator_memory=memory)
    for sizes in ((50, 60), (0, 9), (9, 0), (1, 100), (100, 1)):
        left, right = (random_rows(rng, size, 5) for size in sizes)
        for size in (11, 100):
            check(node, left, right, [], settings, size=size)


@pytest.mark.usefixtures("row_scans")
@pytest.mark.parametrize("build_side", ["left", "right"])
def test_pairs_of_one_row_come_in_batches(build_side: str) -> None:
    few = [(1, "a", 0.5, -number) for number in range(1, 4)]
    many = [(1, "a", 0.5, number) for number in range(2_000)]
    sources = MemorySources({0: batches(few, 3), 1: batches(many, 2_000)})
    context = Run()
    node = nested_loop_join("Inner", build_side, less=True)
    found = run_rows(node, sources, nodes.Settings(batch_rows=100), context)
    assert len(found) == 6_000
    assert context.metrics.values["0.batches"] == 60


def in_list(left: Rows, right: Rows) -> list[tuple[Any, ...]]:
    """The rows of `left` whose key is NOT IN the keys of `right`."""
    values = [row[0] for row in right]
    if not values:
        return list(left)
    if None in values:
        return []
    return [row for row in left if row[0] is not None and row[0] not in values]


@pytest.mark.parametrize("memory", [1_000, 1 << 20])
def test_not_in(memory: int) -> None:
    rng = random.Random("not in")
    node = hash_join("LeftAnti", "right", [0])
    aware = replace(node, null_aware=True)
    settings = nodes.Settings(batch_rows=50, operator_memory=memory)
    for size in (0, 30, 200):
        for nulls in (0.0, 0.1):
            left = random_rows(rng, 100, 300)
            right = random_rows(rng, size, 300, nulls)
            sources = MemorySources({0: batches(left, 20), 1: batches(right, 20)})
            found = run_rows(aware, sources, settings)
            assert counted(found) == counted(in_list(left, right))


def test_many_pairs_of_one_key_come_in_batches() -> None:
    rows = [(1, "a", 0.5, number) for number in range(600)]
    sources = MemorySources({0: batches(rows, 600), 1: batches(rows, 600)})
    context = Run()
    found = run_rows(
        hash_join("Inner", "right", [0]), sources, nodes.Settings(batch_rows=1_000), context
    )
    assert len(found) == 360_000
    assert context.metrics.values["0.batches"] == 360


def test_few_pairs_of_many_batches_come_together() -> None:
    left = [(number, "a", 0.5, number) for number in range(10_000)]
    right = [(number * 100, "a", 0.5, number) for number in range(100)]
    sources = MemorySources({0: batches(left, 500), 1: batches(right, 500)})
    context = Run()
    found = run_rows(
        hash_join("Inner", "right", [0]), sources, nodes.Settings(batch_rows=500), context
    )
    assert len(found) == 100
    assert context.metrics.values["0.batches"] == 1


def test_columns_that_nothing_reads_are_left_out() -> None:
    rng = random.Random("pruned")
    left, right = (random_rows(rng, 100, 10) for _ in range(2))
    for join_type in JOIN_TYPES:
        join = hash_join(join_type, "right", [0], less=True)
        ordinals = [3] if join_type in {"LeftSemi", "LeftAnti"} else [3, len(join.output) - 1]
        types = [a.type for a in join.output]
        root = nodes.Project(
            id=9,
            output=tuple(join.output[i] for i in ordinals),
            children=(join,),
            expressions=tuple(column(i, types[i]) for i in ordinals),
        )
        sources = MemorySources({0: batches(left, 30), 1: batches(right, 30)})
        wanted = expected(left, right, join_type, [0], less=True)
        found = run_rows(root, sources)
        assert counted(found) == counted([tuple(row[i] for i in ordinals) for row in wanted])


@pytest.mark.parametrize("join_type", ["Inner", "LeftOuter", "FullOuter", "LeftSemi", "LeftAnti"])
def test_no_columns_at_all(join_type: JoinType) -> None:
    rng = random.Random("no columns")
    left, right = (random_rows(rng, 60, 10) for _ in range(2))
    sources = MemorySources({0: batches(left, 30), 1: batches(right, 30)})
    for join, keys in (
        (hash_join(join_type, "right", [0]), [0]),
        (nested_loop_join(join_type, "right", less=False), []),
    ):
        root = nodes.Project(id=9, output=(), children=(join,), expressions=())
        wanted = expected(left, right, join_type, keys, less=False)
        assert run_rows(root, sources) == [()] * len(wanted)


def test_a_condition_that_raises_is_left_to_spark() -> None:
    zero = literal(0, INTEGER)
    divided = call("IntegralDivide", LONG, column(3, LONG), zero, eval_mode="ANSI")
    failing = call("GreaterThan", BOOLEAN, divided, literal(1, LONG))
    node = hash_join("Inner", "right", [0])
    raising = replace(node, condition=failing)
    rows = [(1, "a", 0.5, 1)]
    with pytest.raises(WouldRaise):
        run_rows(raising, MemorySources({0: batches(rows, 1), 1: batches(rows, 1)}))
    # no pair has the condition evaluated
    other = [(2, "a", 0.5, 1)]
    assert run_rows(raising, MemorySources({0: batches(rows, 1), 1: batches(other, 1)})) == []
