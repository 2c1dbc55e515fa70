"""Keys of a build side that filter the inputs of joins below: the same rows, fewer pairs."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from broadhead.operators.context import Run
from broadhead.operators.join.key_filters import KeyFilter, key_filters
from broadhead.plan import nodes
from broadhead.plan.expressions import Expression
from broadhead.plan.joins import HashJoin, JoinType
from broadhead.types import BOOLEAN, LONG
from engine.fragments import MemorySources, attributes, call, column, run_rows, scan, whole_file

SIDES = ["left", "right"]
KINDS: list[JoinType] = [
    "Inner",
    "LeftOuter",
    "RightOuter",
    "FullOuter",
    "LeftSemi",
    "LeftAnti",
    "ExistenceJoin",
]
SALES, STOCK, ITEMS = 1, 2, 4

# pairs of a join come in any order from a GPU
ON_ARROW = os.environ["BROADHEAD_TEST_KERNELS"] == "arrow"


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> MemorySources:
    """Sales (item, shop), stock (item, shop, amount) and few items (shop), with nulls."""
    rng = random.Random("tables of key filters")
    folder = tmp_path_factory.mktemp("tables")

    def numbers(count: int, most: int) -> list[int | None]:
        return [rng.choice([None, *range(most)]) for _ in range(count)]

    tables: Mapping[int, dict[str, list[int | None]]] = {
        SALES: {"item": numbers(120, 20), "shop": numbers(120, 30)},
        STOCK: {"item": numbers(150, 25), "amount": numbers(150, 30)},
        ITEMS: {"shop": numbers(6, 30), "name": numbers(6, 9)},
    }
    files = {}
    for node, table in tables.items():
        path = folder / f"{node}.parquet"
        types = pa.schema([(name, pa.int64()) for name in table])
        pq.write_table(pa.table(table, types), path, row_group_size=100)
        files[node] = [whole_file(Path(path))]
    return MemorySources(files=files)


def joined(
    id_: int,
    left: nodes.Node,
    right: nodes.Node,
    kind: JoinType,
    build: Any,
    keys: tuple[int, int],
    condition: Expression | None = None,
) -> HashJoin:
    output = left.output
    if kind == "ExistenceJoin":
        output = (*left.output, *attributes(exists=BOOLEAN))
    elif kind not in {"LeftSemi", "LeftAnti"}:
        output = left.output + right.output
    return HashJoin(
        id=id_,
        output=output,
        children=(left, right),
        join_type=kind,
        build_side=build,
        condition=condition,
        left_keys=(column(keys[0], LONG),),
        right_keys=(column(keys[1], LONG),),
        null_aware=False,
    )


def two_joins(
    upper: JoinType = "Inner",
    lower: JoinType = "Inner",
    builds: tuple[str, str] = ("right", "right"),
    key: int = 1,
    condition: Expression | None = None,
) -> HashJoin:
    """Sales and stock by their items, then the few items by a column of the pairs."""
    sales, stock = scan(SALES, item=LONG, shop=LONG), scan(STOCK, item=LONG, amount=LONG)
    pairs = joined(3, sales, stock, lower, builds[1], (0, 0), condition)
    return joined(0, pairs, scan(ITEMS, shop=LONG, name=LONG), upper, builds[0], (key, 0))


def rows_of(root: nodes.Node, sources: MemorySources) -> tuple[list[tuple[Any, ...]], Run]:
    context = Run()
    return run_rows(root, sources, nodes.Settings(batch_rows=64), context), context


@pytest.mark.parametrize("build", SIDES)
def test_the_same_rows(sources: MemorySources, build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    filtered = 0
    for upper, lower, key in product(KINDS, KINDS, (1, 3)):
        if key == 3 and lower in {"LeftSemi", "LeftAnti", "ExistenceJoin"}:
            continue
        root = two_joins(upper, lower, ("right", build), key)
        filtered += bool(key_filters(root))
        found, _ = rows_of(root, sources)
        with monkeypatch.context() as without:
            without.setattr("broadhead.engine.compiled_fragment.key_filters", lambda root: {})
            wanted, _ = rows_of(root, sources)
        assert Counter(found) == Counter(wanted)
        if ON_ARROW and "FullOuter" not in {upper, lower}:
            assert found == wanted, "the order of rows"
    assert filtered >= 10


def test_fewer_pairs_are_formed(sources: MemorySources) -> None:
    """Which side is built does not matter: both are inputs of the lower join."""
    for build in SIDES:
        _, context = rows_of(two_joins(builds=("right", build)), sources)
        assert context.metrics.values["3.rows"] < 300
        assert context.metrics.values[f"{SALES}.rows"] == 120
    _, context = rows_of(two_joins("LeftOuter"), sources)
    assert context.metrics.values["3.rows"] > 500


def test_the_place_of_a_filter() -> None:
    assert key_filters(two_joins()) == {SALES: (KeyFilter(0, (1,)),)}
    assert key_filters(two_joins(key=3)) == {STOCK: (KeyFilter(0, (1,)),)}
    assert key_filters(two_joins(lower="LeftOuter")) == {SALES: (KeyFilter(0, (1,)),)}
    # a row of stock that is dropped would leave a sale without a match
    assert key_filters(two_joins(lower="LeftOuter", key=3)) == {}
    assert key_filters(two_joins("LeftAnti")) == {}


def test_expressions_that_may_raise_see_all_rows() -> None:
    smaller = call("LessThan", BOOLEAN, column(1, LONG), column(3, LONG))
    assert key_filters(two_joins(condition=smaller)) != {}
    total = call("Add", LONG, column(1, LONG), column(3, LONG), evalMode="ANSI")
    raising = call("LessThan", BOOLEAN, total, column(3, LONG))
    assert key_filters(two_joins(condition=raising)) == {}
    quiet = call("LessThan", BOOLEAN, call("BitwiseNot", LONG, column(1, LONG)), column(3, LONG))
    assert key_filters(two_joins(condition=quiet)) != {}
    unknown = call("PythonUDF", BOOLEAN, column(1, LONG), column(3, LONG))
    assert key_filters(two_joins(condition=unknown)) == {}


def test_below_projections_and_filters() -> None:
    inner = two_joins().children[0]
    kept = nodes.Filter(
        id=7,
        output=inner.output,
        children=(inner,),
        condition=call("IsNotNull", BOOLEAN, column(1, LONG)),
    )
    swapped = nodes.Project(
        id=8,
        output=attributes(amount=LONG, shop=LONG),
        children=(kept,),
        expressions=(column(3, LONG), column(1, LONG)),
    )
    items = scan(ITEMS, shop=LONG, name=LONG)
    assert key_filters(joined(0, swapped, items, "Inner", "right", (1, 0))) == {
        SALES: (KeyFilter(0, (1,)),)
    }


def test_a_filter_that_keeps_most_rows_ends(tmp_path: Path) -> None:
    """It still is tested on the first rows."""
    many = pa.table({"item": range(200_000), "shop": [n % 30 for n in range(200_000)]})
    few = pa.table({"item": range(200_000), "amount": range(200_000)})
    shops = pa.table({"shop": range(29), "name": range(29)})
    files = {}
    for node, table in {SALES: many, STOCK: few, ITEMS: shops}.items():
        pq.write_table(table, tmp_path / f"{node}.parquet")
        files[node] = [whole_file(tmp_path / f"{node}.parquet")]
    found, context = rows_of(two_joins(), MemorySources(files=files))
    assert len(found) == sum(n % 30 < 29 for n in range(200_000))
    assert context.metrics.values["3.rows"] == 200_000
