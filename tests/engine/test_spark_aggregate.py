"""Aggregates that Spark computes, with a stand-in for Spark that joins the texts of a group."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadhead.errors import EngineLimit
from broadhead.operators.context import Run
from broadhead.operators.sort.radix_order import inserted_order
from broadhead.plan import nodes, row_nodes
from broadhead.types import BINARY, LONG, STRING
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


@dataclass
class JoinedTexts:
    """Late rows first, then `|` and the early ones, as Spark merges them."""

    asked: list[pa.RecordBatch] = field(default_factory=list)

    def values(self, number: int, inputs: pa.RecordBatch, data_type: pa.DataType) -> pa.Array:
        raise AssertionError("there is no expression")

    def groups(
        self, number: int, rows: pa.RecordBatch, size: int, schema: pa.Schema
    ) -> pa.RecordBatch:
        assert number == 3
        self.asked.append(rows)
        texts: list[list[str]] = [["", ""] for _ in range(size)]
        for group, early, text in zip(*(c.to_pylist() for c in rows.columns), strict=True):
            texts[group][early] += text if isinstance(text, str) else text.decode()
        joined = ["|".join(filter(None, pair)).encode() for pair in texts]
        kind = schema.types[0]
        return pa.RecordBatch.from_arrays([pa.array(joined, pa.binary()).cast(kind)], schema=schema)


def texts(
    mode: str, *, keys: int = 1, threshold: int | None = 128, sorted_by_radix: bool = False
) -> nodes.HashAggregate:
    updates = mode in {"Partial", "Complete"}
    inputs = attributes(k=LONG, v=STRING) if updates else attributes(k=LONG, v=BINARY)
    finishes = mode in {"Final", "Complete"}
    call = aggregate_call(
        "SparkAggregate",
        mode,
        STRING,
        [(BINARY, None if updates else 1)],
        [column(1, STRING)],
        fallback_threshold=threshold,
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
        sorted_by_radix=sorted_by_radix,
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


@pytest.mark.parametrize("mode", ["Partial", "PartialMerge", "Final", "Complete"])
def test_rows_of_a_group_keep_their_order(mode: str) -> None:
    values = VALUES if mode in {"Partial", "Complete"} else [v.encode() for v in VALUES]
    expected = {5: "acfh", 4: "be", 3: "d", 2: "g"}
    rows = dict(found(texts(mode), KEYS, values))
    if mode in {"Partial", "PartialMerge"}:
        assert list(rows) == [5, 4, 3, 2], "the order of the keys' first rows"
        assert rows == {key: text.encode() for key, text in expected.items()}
    else:
        assert rows == expected


@pytest.mark.parametrize("memory", [1 << 20, 40])
def test_early_rows_are_apart_and_groups_sorted(memory: int, tmp_path: Path) -> None:
    """The third key comes first in the row of d: all rows up to it are early."""
    rows = found(
        texts("Partial", threshold=3),
        KEYS,
        VALUES,
        operator_memory=memory,
        context={"spill_directories": [str(tmp_path)]},
    )
    assert rows == [(2, b"g"), (3, b"d"), (4, b"e|b"), (5, b"fh|ac")]


NULL_KEYS = [5, 4, 3, 5, None, 5, 4, None, 4, 5]


def test_null_keys_move_the_rows_of_others() -> None:
    """In Spark's sorter, after the early a, b and c: the null h moves d behind f and g."""
    rows = found(texts("Partial", threshold=3, sorted_by_radix=True), NULL_KEYS, list("abcdefghij"))
    assert rows == [(None, b"eh"), (3, b"c"), (4, b"gi|b"), (5, b"fdj|a")]
    rows = found(
        texts("Partial", threshold=3, sorted_by_radix=True),
        [1, 2, 3, 5, 5, None, 5],
        list("abcdefg"),
    )
    assert dict(rows)[5] == b"edg"


def test_spilled_rows_with_null_keys_are_left_to_spark(tmp_path: Path) -> None:
    context = {"spill_directories": [str(tmp_path)]}
    with pytest.raises(EngineLimit, match="null key"):
        found(
            texts("Partial", threshold=3, sorted_by_radix=True),
            NULL_KEYS,
            list("abcdefghij"),
            operator_memory=40,
            context=context,
        )


@given(st.lists(st.booleans(), max_size=60))
def test_the_order_of_inserted_rows(nulls: list[bool]) -> None:
    none: list[int] = []
    queue: list[int] = []
    for row, null in enumerate(nulls):
        if not null:
            queue.append(row)
        else:
            none.append(row)
            queue = queue[1:] + queue[:1]
    assert inserted_order(np.array(nulls, bool)).tolist() == none + queue


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


def test_projections_below_are_in_the_order_of_their_rows() -> None:
    """Which keys are the first ones follows from it: the third one is row 2's."""
    source = nodes.RowSource(id=2, output=attributes(k=LONG, v=STRING), children=(), source=0)
    expand = row_nodes.Expand(
        id=1,
        output=attributes(k=LONG, v=STRING),
        children=(source,),
        projections=(
            (column(0, LONG), column(1, STRING)),
            (literal(9, LONG), column(1, STRING)),
        ),
    )
    node = texts("Partial", threshold=3, sorted_by_radix=True)
    below = nodes.HashAggregate(
        id=0,
        output=node.output,
        children=(expand,),
        grouping=node.grouping,
        aggregates=node.aggregates,
        results=node.results,
    )
    rows = pa.record_batch({"k": pa.array([1, 2, 1]), "v": pa.array(["a", "b", "c"])})
    context = Run(spark_expressions=JoinedTexts())
    got = run_rows(below, MemorySources({0: [rows]}), nodes.Settings(), context)
    assert got == [(1, b"c|a"), (2, b"b"), (9, b"bc|a")]


def test_without_spark() -> None:
    node = texts("Complete")
    rows = pa.record_batch({"k": pa.array([1]), "v": pa.array(["a"])})
    with pytest.raises(EngineLimit, match="no Spark to compute an aggregate"):
        run_rows(node, MemorySources({0: [rows]}))
