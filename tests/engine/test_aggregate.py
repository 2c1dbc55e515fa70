"""Hash aggregation: phases, spilling, passing through."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from broadhead.errors import WouldRaise
from broadhead.operators.aggregate import partial_reduction
from broadhead.operators.context import Run
from broadhead.plan import nodes
from broadhead.types import BOOLEAN, LONG
from engine.fragments import MemorySources, aggregate_call, attributes, column, run_rows

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

GROUPS = 5_000


def source() -> nodes.RowSource:
    return nodes.RowSource(id=1, output=attributes(k=LONG, v=LONG), children=(), source=0)


def sum_by_key(mode: str) -> nodes.HashAggregate:
    updates = mode in {"Partial", "Complete"}
    total = aggregate_call(
        "Sum",
        mode,
        LONG,
        [(LONG, None if updates else 1)],
        [column(1, LONG)] if updates else [],
        eval_mode="ANSI",
    )
    return nodes.HashAggregate(
        id=0,
        output=attributes(k=LONG, total=LONG),
        children=(source(),),
        grouping=(column(0, LONG),),
        aggregates=(total,),
        results=(column(0, LONG), column(1, LONG)),
    )


def batches(count: int, rows: int = 1_000) -> list[pa.RecordBatch]:
    return [
        pa.record_batch(
            {
                "k": pa.array([(n * rows + i) % GROUPS for i in range(rows)], pa.int64()),
                "v": pa.array(range(rows), pa.int64()),
            }
        )
        for n in range(count)
    ]


def expected(tables: list[pa.RecordBatch]) -> dict[int, int]:
    totals: dict[int, int] = {}
    for table in tables:
        for key, value in zip(*(c.to_pylist() for c in table.columns), strict=True):
            totals[key] = totals.get(key, 0) + value
    return totals


@pytest.mark.parametrize("mode", ["Partial", "Complete", "Final", "PartialMerge"])
def test_every_mode_sums(mode: str) -> None:
    tables = batches(20)
    rows = run_rows(sum_by_key(mode), MemorySources({0: tables}))
    assert dict(rows) == expected(tables)


def test_spills_by_partition_and_cleans_up(tmp_path: Path) -> None:
    tables = batches(10)
    context = Run(spill_directories=[str(tmp_path)])
    settings = nodes.Settings(operator_memory=4_096, batch_rows=500)
    rows = run_rows(sum_by_key("Final"), MemorySources({0: tables}), settings, context)
    assert len(rows) == GROUPS
    assert dict(rows) == expected(tables)
    assert context.metrics.values["0.spilledBytes"] > 0
    assert list(tmp_path.iterdir()) == []


def test_rows_that_nothing_reduces_are_spilled_once(tmp_path: Path) -> None:
    rows_in = 200_000
    table = pa.record_batch(
        {"k": pa.array(range(rows_in), pa.int64()), "v": pa.array([1] * rows_in, pa.int64())}
    )
    pieces = [table.slice(start, 5_000) for start in range(0, rows_in, 5_000)]
    context = Run(spill_directories=[str(tmp_path)])
    settings = nodes.Settings(operator_memory=table.nbytes // 12)
    rows = run_rows(sum_by_key("Final"), MemorySources({0: pieces}), settings, context)
    assert dict(rows) == dict.fromkeys(range(rows_in), 1)
    assert table.nbytes <= context.metrics.values["0.spilledBytes"] < 1.1 * table.nbytes


def test_equal_keys_behind_different_ones(tmp_path: Path) -> None:
    different = [
        pa.record_batch({"k": pa.array(range(n, n + 1_000)), "v": pa.array([1] * 1_000)})
        for n in range(0, 40_000, 1_000)
    ]
    tables = [*different, *batches(60)]
    context = Run(spill_directories=[str(tmp_path)])
    settings = nodes.Settings(operator_memory=100_000, batch_rows=1_000)
    rows = run_rows(sum_by_key("Final"), MemorySources({0: tables}), settings, context)
    assert len(rows) == 40_000
    assert dict(rows) == expected(tables)
    assert list(tmp_path.iterdir()) == []


def keyed(keys: Iterable[int], size: int = 20_000) -> list[pa.RecordBatch]:
    table = pa.record_batch({"k": pa.array(keys, pa.int64())})
    table = table.append_column("v", pa.array(range(table.num_rows), pa.int64()))
    return [table.slice(start, size) for start in range(0, table.num_rows, size)]


def test_a_partial_aggregation_that_reduces_nothing_passes_rows_on() -> None:
    tables = keyed([*range(150_000), *range(150_000)])
    rows = run_rows(sum_by_key("Partial"), MemorySources({0: tables}))
    assert len(rows) > 250_000
    totals: dict[int, int] = {}
    for key, value in rows:
        totals[key] = totals.get(key, 0) + value
    assert totals == expected(tables)


def test_a_partial_aggregation_looks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partial_reduction, "LOOK_AGAIN", 60_000)
    tables = keyed([*range(160_000), *([7] * 300_000)])
    rows = run_rows(sum_by_key("Partial"), MemorySources({0: tables}))
    assert len(rows) < 200_000
    assert sum(value for _, value in rows) == sum(expected(tables).values())
    assert {key for key, _ in rows} == set(range(160_000))


ENOUGH = nodes.Settings().operator_memory


@pytest.mark.parametrize(
    ("name", "place", "memory"),
    [
        ("First", 0, 1_000_000),
        ("Last", -1, ENOUGH),
        pytest.param("First", 0, ENOUGH, marks=pytest.mark.nightly),
        pytest.param("Last", -1, 1_000_000, marks=pytest.mark.nightly),
    ],
)
def test_rows_that_pass_through_keep_their_order(
    name: str, place: int, memory: int, tmp_path: Path
) -> None:
    tables = keyed([*range(150_000), *range(150_000)])
    edge = aggregate_call(
        name, "Partial", LONG, [(LONG, None), (BOOLEAN, None)], [column(1, LONG)],
        ignore_nulls=False,
    )  # fmt: skip
    root = dataclasses.replace(
        sum_by_key("Partial"), aggregates=(edge,), output=attributes(k=LONG, v=LONG, set=BOOLEAN),
        results=(column(0, LONG), column(1, LONG), column(2, BOOLEAN)),
    )  # fmt: skip
    found: dict[int, list[int]] = {}
    settings = nodes.Settings(operator_memory=memory)
    context = Run(spill_directories=[str(tmp_path)])
    for key, value, present in run_rows(root, MemorySources({0: tables}), settings, context):
        assert present
        found.setdefault(key, []).append(value)
    edges = {key: values[place] for key, values in found.items()}
    assert edges == {key: key - 150_000 * place for key in range(150_000)}


def test_overflow_is_left_to_spark() -> None:
    table = pa.record_batch({"k": pa.array([1, 1]), "v": pa.array([2**63 - 1, 1])})
    with pytest.raises(WouldRaise, match="ARITHMETIC_OVERFLOW"):
        run_rows(sum_by_key("Complete"), MemorySources({0: [table]}))


@pytest.mark.parametrize(("mode", "rows"), [("Complete", [(0,)]), ("Partial", [(0,)])])
def test_no_keys_and_no_input_give_one_row(mode: str, rows: list[tuple[Any, ...]]) -> None:
    count = aggregate_call("Count", mode, LONG, [(LONG, None)], [column(0, LONG)])
    root = nodes.HashAggregate(
        id=0,
        output=attributes(n=LONG),
        children=(source(),),
        grouping=(),
        aggregates=(count,),
        results=(column(0, LONG),),
    )
    assert run_rows(root, MemorySources({0: []})) == rows


def test_no_input_with_keys_gives_no_row() -> None:
    assert run_rows(sum_by_key("Final"), MemorySources({0: []})) == []
