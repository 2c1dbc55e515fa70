"""Aggregates that Spark computes, with a stand-in for Spark that joins the texts of a group."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from broadhead.errors import EngineLimit
from broadhead.operators.context import Run
from broadhead.plan import nodes
from broadhead.types import BINARY, LONG, STRING
from engine.fragments import (
    MemorySources,
    aggregate_call,
    attributes,
    column,
    run_rows,
)

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class JoinedTexts:
    """The texts of each group, in their order."""

    asked: list[pa.RecordBatch] = field(default_factory=list)

    def values(self, number: int, inputs: pa.RecordBatch, data_type: pa.DataType) -> pa.Array:
        raise AssertionError("there is no expression")

    def groups(
        self, number: int, rows: pa.RecordBatch, size: int, schema: pa.Schema
    ) -> pa.RecordBatch:
        assert number == 3
        self.asked.append(rows)
        texts = [b""] * size
        for group, text in zip(*(c.to_pylist() for c in rows.columns), strict=True):
            texts[group] += text.encode() if isinstance(text, str) else text
        kind = schema.types[0]
        return pa.RecordBatch.from_arrays([pa.array(texts, pa.binary()).cast(kind)], schema=schema)


def texts(mode: str, *, keys: int = 1) -> nodes.HashAggregate:
    updates = mode in {"Partial", "Complete"}
    inputs = attributes(k=LONG, v=STRING) if updates else attributes(k=LONG, v=BINARY)
    finishes = mode in {"Final", "Complete"}
    call = aggregate_call(
        "SparkAggregate",
        mode,
        STRING,
        [(BINARY, None if updates else 1)],
        [column(1, STRING)],
        number=3,
    )
    kinds = [LONG, STRING if finishes else BINARY][1 - keys :]
    return nodes.HashAggregate(
        id=0,
        output=attributes(**{f"c{i}": kind for i, kind in enumerate(kinds)}),
        children=(nodes.RowSource(id=1, output=inputs, children=(), source=0),),
        grouping=(column(0, LONG),) if keys else (),
        aggregates=(call,),
        results=tuple(column(i, kind) for i, kind in enumerate(kinds)),
    )


def found(
    node: nodes.HashAggregate, keys: list[int], values: list[Any], **settings: Any
) -> list[tuple[Any, ...]]:
    of_text = pa.string() if node.aggregates[0].updates else pa.binary()
    rows = [
        pa.record_batch({"k": pa.array([k]), "v": pa.array([v], of_text)})
        for k, v in zip(keys, values, strict=True)
    ]
    context = Run(spark_expressions=JoinedTexts(), **settings.pop("context", {}))
    return run_rows(node, MemorySources({0: rows}), nodes.Settings(**settings), context)


KEYS = [5, 4, 5, 3, 4, 5, 2, 5]
VALUES = list("abcdefgh")


@pytest.mark.parametrize("memory", [1 << 20, 40])
@pytest.mark.parametrize("mode", ["Partial", "PartialMerge", "Final", "Complete"])
def test_rows_of_a_group_keep_their_order(mode: str, memory: int, tmp_path: Path) -> None:
    values = VALUES if mode in {"Partial", "Complete"} else [v.encode() for v in VALUES]
    expected = {5: "acfh", 4: "be", 3: "d", 2: "g"}
    context = {"spill_directories": [str(tmp_path)]}
    rows = dict(found(texts(mode), KEYS, values, operator_memory=memory, context=context))
    if mode in {"Partial", "PartialMerge"}:
        assert rows == {key: text.encode() for key, text in expected.items()}
    else:
        assert rows == expected


def test_without_keys_and_without_rows() -> None:
    assert found(texts("Partial", keys=0), KEYS, VALUES) == [(b"abcdefgh",)]
    assert found(texts("Complete", keys=0), [], []) == [("",)]
    assert found(texts("Complete"), [], []) == []


def test_beside_a_distinct_aggregate() -> None:
    """One phase merges the buffers of some aggregates, and updates those of others."""
    merges = texts("PartialMerge").aggregates[0]
    count = aggregate_call("Count", "Partial", LONG, [(LONG, None)], [column(0, LONG)])
    node = nodes.HashAggregate(
        id=0,
        output=attributes(v=BINARY, c=LONG),
        children=(
            nodes.RowSource(id=1, output=attributes(k=LONG, v=BINARY), children=(), source=0),
        ),
        grouping=(),
        aggregates=(count, merges),
        results=(column(1, BINARY), column(0, LONG)),
    )
    assert found(node, KEYS, [v.encode() for v in VALUES]) == [(b"abcdefgh", 8)]


def test_without_spark() -> None:
    node = texts("Complete")
    rows = pa.record_batch({"k": pa.array([1]), "v": pa.array(["a"])})
    with pytest.raises(EngineLimit, match="no Spark to compute an aggregate"):
        run_rows(node, MemorySources({0: [rows]}))
