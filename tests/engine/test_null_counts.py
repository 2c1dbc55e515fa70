"""Sums that count nulls, as Delta Lake's statistics have them, for groups and for all rows."""

from __future__ import annotations

import pyarrow as pa
import pytest

from broadhead.operators.aggregate.aggregate_calls import rewritten
from broadhead.plan import nodes
from broadhead.plan.expressions import Literal
from broadhead.types import BOOLEAN, INTEGER, LONG, STRING
from engine.fragments import MemorySources, aggregate_call, attributes, call, column, run_rows

ONE, ZERO = Literal(1, INTEGER), Literal(0, INTEGER)


def counting(mode: str, then: Literal = ONE) -> nodes.AggregateCall:
    is_null = call("IsNull", BOOLEAN, column(1, STRING))
    value = call("CaseWhen", INTEGER, is_null, then, ZERO)
    return aggregate_call("Sum", mode, LONG, [(LONG, None)], [value], eval_mode="ANSI")


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize(
    ("rows", "by_key", "total"),
    [
        ([(1, "a"), (1, None), (2, "b"), (3, None), (3, None)], {1: 1, 2: 0, 3: 2}, 3),
        ([(1, "a")], {1: 0}, 0),
        ([], {}, None),
    ],
)
def test_the_nulls_are_counted(
    keyed: bool, rows: list[tuple[int, str | None]], by_key: dict[int, int], total: int | None
) -> None:
    node = nodes.HashAggregate(
        id=0,
        output=attributes(k=LONG, n=LONG) if keyed else attributes(n=LONG),
        children=(
            nodes.RowSource(id=1, output=attributes(k=LONG, s=STRING), children=(), source=0),
        ),
        grouping=(column(0, LONG),) if keyed else (),
        aggregates=(counting("Partial"),),
        results=(column(0, LONG), column(1, LONG)) if keyed else (column(0, LONG),),
    )
    schema = pa.schema({"k": pa.int64(), "s": pa.string()})
    batches = [pa.record_batch([[k], [s]], schema=schema) for k, s in rows]
    found = run_rows(node, MemorySources({0: batches}))
    assert sorted(found) == sorted(by_key.items()) if keyed else found == [(total,)]


def test_only_counts_of_nulls_are_rewritten() -> None:
    assert rewritten(counting("Partial")).name != "Sum"
    other = counting("Partial", Literal(2, INTEGER))
    assert rewritten(other) is other
