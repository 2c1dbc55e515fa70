"""Aggregates that read all rows that a task has of a group: spills, many keys, empty inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from broadhead.aggregates.quantile_summaries import Summaries
from broadhead.errors import EngineLimit
from broadhead.operators.context import Run
from broadhead.plan import nodes
from broadhead.types import BINARY, DOUBLE, INTEGER, LONG
from engine.fragments import (
    MemorySources,
    aggregate_call,
    attributes,
    column,
    literal,
    run_rows,
)

if TYPE_CHECKING:
    from pathlib import Path

ACCURACY = 20


def percentile(mode: str, *, keys: int) -> nodes.HashAggregate:
    updates = mode in {"Partial", "Complete"}
    inputs = attributes(k=LONG, v=DOUBLE) if updates else attributes(k=LONG, v=BINARY)
    call = aggregate_call(
        "ApproximatePercentile",
        mode,
        DOUBLE,
        [(BINARY, None if updates else 1)],
        [column(1, DOUBLE), literal(0.5, DOUBLE), literal(ACCURACY, INTEGER)],
    )
    finishes = mode in {"Final", "Complete"}
    return nodes.HashAggregate(
        id=0,
        output=attributes(**{"k": LONG} if keys else {}, p=DOUBLE if finishes else BINARY),
        children=(nodes.RowSource(id=1, output=inputs, children=(), source=0),),
        grouping=(column(0, LONG),) if keys else (),
        aggregates=(call,),
        results=tuple(column(i, t) for i, t in enumerate([LONG, DOUBLE][1 - keys :])),
    )


def batches(keys: np.ndarray, values: np.ndarray, rows: int = 100) -> list[pa.RecordBatch]:
    return [
        pa.record_batch({"k": keys[i : i + rows], "v": values[i : i + rows]})
        for i in range(0, len(keys), rows)
    ]


def summary(values: np.ndarray) -> Summaries:
    return Summaries.of_rows(values, np.array([0, len(values)]), 1 / ACCURACY)


def content(found: Summaries) -> bytes:
    return found.rows()[0].tobytes()


@pytest.mark.parametrize("memory", [512 << 20, 4_096])
def test_rows_are_summarized_together(tmp_path: Path, memory: int) -> None:
    """Keys 0 to 7, also where their rows are in files."""
    rows = np.arange(4_000)
    keys = np.minimum(rows % 101 % 8, rows // 120)
    values = (rows * 7919 % 1009).astype(float)
    settings = nodes.Settings(operator_memory=memory, batch_rows=100)
    context = Run(spill_directories=[str(tmp_path)])
    sources = MemorySources({0: batches(keys, values)})
    found = run_rows(percentile("Partial", keys=1), sources, settings, context)
    assert dict(found) == {key: content(summary(values[keys == key])) for key in range(8)}


def test_buffers_are_merged_in_their_order() -> None:
    parts = [summary(np.arange(size) * 37.0 % 101) for size in (300, 1, 0, 70, 200)]
    keys = np.array([1, 1, 2, 1, 1])
    rows = pa.record_batch({"k": keys, "v": [content(part) for part in parts]})
    merged = parts[0]
    for part in (parts[1], parts[3], parts[4]):
        merged = merged.merged(part)
    node = percentile("Final", keys=1)
    found = run_rows(node, MemorySources({0: [rows]}))
    assert sorted(found) == [(1, merged.at((0.5,))[0, 0]), (2, None)]


@pytest.mark.parametrize("mode", ["Partial", "Final", "Complete"])
def test_no_rows(mode: str) -> None:
    node = percentile(mode, keys=0)
    expected = content(summary(np.zeros(0))) if mode == "Partial" else None
    assert run_rows(node, MemorySources({0: []})) == [(expected,)]
    assert run_rows(percentile(mode, keys=1), MemorySources({0: []})) == []


@pytest.mark.parametrize("value", [float("nan"), -0.0])
def test_values_without_an_order_are_left_to_spark(value: float) -> None:
    node = percentile("Complete", keys=1)
    rows = batches(np.zeros(3, np.int64), np.array([1.0, value, 0.0]))
    with pytest.raises(EngineLimit, match="of NaN or -0"):
        run_rows(node, MemorySources({0: rows}))
