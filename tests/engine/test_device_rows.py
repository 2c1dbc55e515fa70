"""The operators that call Python functions on a GPU, with a stand-in for the functions.

The kernels are those of the CPU under the GPU's name: what is tested is which rows functions get,
and what becomes of their results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from broadhead.columns import Batch, Column
from broadhead.errors import HostNeeded
from broadhead.kernels.load import load_kernels
from broadhead.operators.context import Run
from broadhead.operators.python import grouped_inputs
from broadhead.operators.user_functions import DeviceResult, DeviceRows
from broadhead.plan.nodes import Node, RowSource, Settings
from broadhead.plan.python_nodes import (
    AggregatePython,
    DeviceCalls,
    EvalPython,
    FlatMapCoGroups,
    FlatMapGroups,
    MapInPython,
    PythonArgument,
    PythonCall,
    PythonCalls,
    PythonNode,
)
from broadhead.types import LONG, DataType, StructField, StructType
from engine.fragments import MemorySources, attributes, column, run_rows

WHOLE = DeviceCalls(whole_batches=True)
PAIR = StructType("struct", (StructField("k", LONG, True), StructField("v", LONG, True)))


class Doubling:
    """Doubles the last input; every other result is on the host, as after a fallback."""

    def __init__(self, *, at_once: bool = False) -> None:
        self.counters: Mapping[str, int] = {}
        self.lengths: list[int] = []
        self._at_once = at_once

    def over_device_rows(
        self,
        node: PythonNode,
        groups: Iterable[DeviceRows],
        output: Sequence[DataType],
    ) -> Iterator[DeviceResult]:
        waiting = list(groups) if self._at_once else groups
        for number, group in enumerate(waiting):
            self.lengths.append(group.rows.length)
            assert group.on_host().num_rows == group.rows.length
            *before, last = [each.data for each in group.rows.columns]
            found = [*before[-1:], pc.multiply(last, 2)][-len(output) or -1 :]
            if isinstance(node, AggregatePython):
                yield pa.record_batch([pa.array([pc.sum(last).as_py()])], ["_0"])
            elif number % 2 and isinstance(node, EvalPython):
                yield pa.record_batch(found, [f"_{n}" for n in range(len(found))])
            elif number % 2:
                struct = pa.StructArray.from_arrays(found, ["k", "v"])
                yield pa.record_batch([struct], ["_0"])
            else:
                columns = tuple(Column(d, t) for d, t in zip(found, output, strict=True))
                yield Batch(columns, group.rows.length)


@pytest.fixture(autouse=True)
def _gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load_kernels("arrow").device, "name", "gpu")
    monkeypatch.setattr(grouped_inputs, "DEVICE_GROUP_ROWS", 3)


def functions(rows: int, returns: DataType) -> PythonCalls:
    call = PythonCall(
        name="f",
        commands=(b"",),
        arguments=(PythonArgument(None, 0),),
        type=returns,
        deterministic=True,
        result_id=1,
    )
    conf = {"spark.sql.execution.arrow.maxRecordsPerBatch": str(rows)}
    return PythonCalls(eval_type=200, calls=(call,), input_schema="{}", profiler=None, conf=conf)


def child() -> RowSource:
    return RowSource(id=1, output=attributes(k=LONG, v=LONG), children=(), source=0)


def rows_of(*batches: Sequence[tuple[Any, Any]]) -> MemorySources:
    def batch(rows: Sequence[tuple[Any, Any]]) -> pa.RecordBatch:
        columns = [pa.array(values, pa.int64()) for values in zip(*rows, strict=True)]
        return pa.RecordBatch.from_arrays(columns or [pa.array([], pa.int64())] * 2, ["k", "v"])

    return MemorySources({0: [batch(rows) for rows in batches]})


def run(node: Node, sources: MemorySources, stand_in: Any) -> list[tuple[Any, ...]]:
    # batches of the engine are larger than those here; what stands in for functions takes Arrow's
    kernels = load_kernels("arrow")
    return run_rows(node, sources, Settings(), Run(user_functions=stand_in), kernels)


def eval_python(calls: DeviceCalls, rows: int = 4) -> EvalPython:
    return EvalPython(
        id=0,
        output=attributes(k=LONG, v=LONG, f=LONG),
        children=(child(),),
        functions=functions(rows, LONG),
        inputs=(column(1, LONG),),
        device=calls,
    )


TEN = [(n // 4, n) for n in range(10)]


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize(
    ("calls", "rows", "lengths"),
    [
        (WHOLE, 4, [3, 7]),
        (DeviceCalls(), 4, [4, 4, 2]),
        (DeviceCalls(), 0, [10]),
    ],
)
def test_functions_of_rows(
    calls: DeviceCalls, rows: int, lengths: list[int], *, at_once: bool
) -> None:
    stand_in = Doubling(at_once=at_once)
    found = run(eval_python(calls, rows), rows_of(TEN[:3], [], TEN[3:]), stand_in)
    assert found == [(k, v, v * 2) for k, v in TEN]
    assert stand_in.lengths == lengths


def test_a_column_whose_dtype_depends_on_the_batch() -> None:
    dense = DeviceCalls(whole_batches=True, dense=(0,))
    assert run(eval_python(dense), rows_of(TEN), Doubling())
    with pytest.raises(HostNeeded, match="has nulls"):
        run(eval_python(dense), rows_of(TEN, [(1, None)]), Doubling())


def test_functions_of_batches() -> None:
    node = MapInPython(
        id=0,
        output=attributes(k=LONG, v=LONG),
        children=(child(),),
        functions=functions(4, PAIR),
        inputs=(column(0, LONG), column(1, LONG)),
        input_names=("k", "v"),
        device=DeviceCalls(),
    )
    stand_in = Doubling()
    found = run(node, rows_of(TEN), stand_in)
    assert found == [(k, v * 2) for k, v in TEN]
    assert stand_in.lengths == [4, 4, 2]


def flat_map_groups(calls: DeviceCalls) -> FlatMapGroups:
    return FlatMapGroups(
        id=0,
        output=attributes(k=LONG, v=LONG),
        children=(child(),),
        functions=functions(4, PAIR),
        grouping=(column(0, LONG),),
        inputs=(column(0, LONG), column(1, LONG)),
        input_names=("k", "v"),
        device=calls,
    )


def test_functions_of_groups() -> None:
    stand_in = Doubling()
    found = run(flat_map_groups(DeviceCalls()), rows_of(TEN[:6], TEN[6:]), stand_in)
    assert found == [(k, v * 2) for k, v in TEN]
    assert stand_in.lengths == [4, 4, 2]


def test_small_groups() -> None:
    small = rows_of([(n, n) for n in range(5)])
    with pytest.raises(HostNeeded, match="groups have 1 rows"):
        run(flat_map_groups(DeviceCalls()), small, Doubling())
    assert len(run(flat_map_groups(DeviceCalls(required=True)), small, Doubling())) == 5


class Lengths:
    """Gives the number of rows of each side of a cogroup."""

    def __init__(self) -> None:
        self.counters: Mapping[str, int] = {}

    def over_device_rows(
        self,
        node: PythonNode,
        groups: Iterable[Sequence[DeviceRows]],
        output: Sequence[DataType],
    ) -> Iterator[DeviceResult]:
        for left, right in groups:
            assert list(left.names) == list(right.names) == ["k", "v"]
            assert right.on_host().schema.names == ["k", "v"]
            columns = (pa.array([side.rows.length]) for side in (left, right))
            found = zip(columns, output, strict=True)
            yield Batch(tuple(Column(data, data_type) for data, data_type in found), 1)


def flat_map_cogroups(calls: DeviceCalls) -> FlatMapCoGroups:
    right = RowSource(id=2, output=attributes(k=LONG, v=LONG), children=(), source=1)
    sides = {
        f"{side}_{name}": columns
        for side in ("left", "right")
        for name, columns in (
            ("grouping", (column(0, LONG),)),
            ("inputs", (column(0, LONG), column(1, LONG))),
        )
    }
    return FlatMapCoGroups(
        id=0,
        output=attributes(k=LONG, v=LONG),
        children=(child(), right),
        functions=functions(4, PAIR),
        input_names=(("k", "v"), ("k", "v")),
        device=calls,
        **sides,
    )


def test_functions_of_cogroups() -> None:
    left = rows_of(TEN[:6], TEN[6:]).tables[0]
    right = rows_of([(1, 5), (3, 7), (3, 8)]).tables[0]
    sources = MemorySources({0: left, 1: right})
    found = run(flat_map_cogroups(DeviceCalls()), sources, Lengths())
    assert found == [(4, 0), (4, 1), (2, 0), (0, 2)]
    nothing = MemorySources({0: [], 1: []})
    assert run(flat_map_cogroups(DeviceCalls(required=True)), nothing, Lengths()) == []


def test_small_cogroups() -> None:
    small = [(n, n) for n in range(5)]
    sources = MemorySources({0: rows_of(small).tables[0], 1: rows_of(small).tables[0]})
    with pytest.raises(HostNeeded, match="groups have 2 rows"):
        run(flat_map_cogroups(DeviceCalls()), sources, Lengths())


def test_aggregates() -> None:
    node = AggregatePython(
        id=0,
        output=attributes(k=LONG, f=LONG),
        children=(child(),),
        functions=functions(4, LONG),
        grouping=(column(0, LONG),),
        inputs=(column(1, LONG),),
        results=(column(0, LONG), column(1, LONG)),
        device=DeviceCalls(),
    )
    found = run(node, rows_of(TEN[:5], TEN[5:8]), Doubling())
    assert found == [(0, 0 + 1 + 2 + 3), (1, 4 + 5 + 6 + 7)]
