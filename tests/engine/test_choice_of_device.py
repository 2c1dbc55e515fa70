"""Which kernels a task gets, by its settings, what it reads and what it was planned for."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from broadhead.plan import exchanges, nodes
from broadhead.plan.sort_order import SortOrder
from broadhead.types import BOOLEAN, INTEGER, LONG, ArrayType, StructField, StructType
from broadhead.worker import device
from engine.fragments import aggregate_call, attributes, call, column, literal, scan

if TYPE_CHECKING:
    from broadhead.types import DataType

MIB = 1 << 20


@dataclass
class Received:
    """Sources that have so many bytes to give."""

    size: int
    asked: int = 0

    def buffer(self, limit: int) -> int:
        self.asked = limit
        return min(self.size, limit)


@pytest.fixture(autouse=True)
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host with a GPU, as far as the choice asks."""
    monkeypatch.setattr(device, "gpu_possible", lambda: True)
    monkeypatch.setattr(device, "gpu_available", lambda: True)


def choice(
    setting: str,
    local: int,
    sources: Received,
    least: int | None,
    type_: DataType = LONG,
    *,
    root: nodes.Node | None = None,
    cpu_only: bool = False,
) -> str:
    fragment = nodes.Fragment(root or scan(0, a=type_), nodes.Settings(device=setting), {})
    header: Any = SimpleNamespace(local_bytes=local, gpu_min_bytes=least, cpu_only=cpu_only)
    given: Any = sources
    return device.choose_kernels(fragment, header, given)


@pytest.mark.parametrize(
    ("local", "received", "kernels"),
    [
        (4 * MIB, 0, "cudf"),
        (4 * MIB - 1, 0, "arrow"),
        (3 * MIB, MIB, "cudf"),
        (0, 99 * MIB, "cudf"),
    ],
)
def test_auto_goes_by_what_the_task_reads(local: int, received: int, kernels: str) -> None:
    assert choice("auto", local, Received(received), 4 * MIB) == kernels


def test_nothing_is_received_ahead_where_it_does_not_matter() -> None:
    for setting, local, least in (("auto", 9 * MIB, MIB), ("auto", 0, None), ("gpu", 0, MIB)):
        sources = Received(MIB)
        choice(setting, local, sources, least)
        assert sources.asked == 0


def test_tasks_that_were_not_planned_for_a_gpu_stay_on_the_cpu() -> None:
    assert choice("auto", 999 * MIB, Received(0), None) == "arrow"


def test_fixed_devices() -> None:
    assert choice("gpu", 0, Received(0), None) == "cudf"
    assert choice("cpu", 999 * MIB, Received(0), MIB) == "arrow"


def test_nested_columns_stay_on_the_cpu() -> None:
    nested = ArrayType("array", LONG, True)
    assert choice("gpu", 999 * MIB, Received(0), MIB, nested) == "arrow"


def test_nested_keys_stay_on_the_cpu() -> None:
    pair = StructType("struct", (StructField("f", LONG, True), StructField("g", LONG, True)))
    source = scan(0, a=LONG, b=LONG)
    struct = call("CreateNamedStruct", pair, column(0, LONG), column(1, LONG))
    field = call("GetStructField", LONG, struct, ordinal=0)
    hashed = call("Murmur3Hash", INTEGER, call("If", pair, literal(True, BOOLEAN), struct, struct))
    for expression, kernels in ((field, "cudf"), (hashed, "arrow")):
        output = attributes(x=expression.type)
        root: nodes.Node = nodes.Project(
            id=1, output=output, children=(source,), expressions=(expression,)
        )
        assert choice("gpu", 0, Received(0), MIB, root=root) == kernels
    for key, kernels in ((field, "cudf"), (struct, "arrow")):
        partitioning = exchanges.HashPartitioning(3, (key,))
        root = exchanges.ShuffleWrite(
            id=1, output=source.output, children=(source,), partitioning=partitioning
        )
        assert choice("gpu", 0, Received(0), MIB, root=root) == kernels
        order = (SortOrder(key, True, True),)
        root = nodes.Sort(id=1, output=source.output, children=(source,), order=order, limit=None)
        assert choice("gpu", 0, Received(0), MIB, root=root) == kernels


def test_extremes_of_nested_values_stay_on_the_cpu() -> None:
    pair = StructType("struct", (StructField("f", LONG, True),))
    struct = call("CreateNamedStruct", pair, column(0, LONG))
    for argument, kernels in ((column(0, LONG), "cudf"), (struct, "arrow")):
        type_ = argument.type
        buffers = [(type_, None)]
        root = nodes.HashAggregate(
            id=1,
            output=attributes(n=LONG),
            children=(scan(0, a=LONG),),
            grouping=(),
            aggregates=(aggregate_call("Max", "Complete", type_, buffers, [argument]),),
            results=(literal(1, LONG),),
        )
        assert choice("gpu", 0, Received(0), MIB, root=root) == kernels


def test_hosts_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "gpu_available", lambda: False)
    assert choice("gpu", 999 * MIB, Received(0), MIB) == "arrow"


@pytest.mark.parametrize("setting", ["auto", "gpu"])
def test_a_task_in_which_the_gpu_failed_keeps_to_the_cpu(setting: str) -> None:
    assert choice(setting, 99 * MIB, Received(0), 4 * MIB, cpu_only=True) == "arrow"


@pytest.mark.parametrize("setting", ["auto", "gpu"])
def test_rows_that_are_only_handed_on_stay_on_the_cpu(setting: str) -> None:
    rows = nodes.RowSource(id=0, output=attributes(a=LONG), children=(), source=0)
    assert choice(setting, 0, Received(99 * MIB), 4 * MIB, root=rows) == "arrow"
    limit = nodes.Limit(id=1, output=rows.output, children=(rows,), limit=3, offset=0)
    assert choice(setting, 0, Received(99 * MIB), 4 * MIB, root=limit) == "cudf"
