"""Fragments built by hand, and runs of them without Spark."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.engine.compiled_fragment import compile_fragment
from broadhead.engine.run import run
from broadhead.files.input_file import LocalFile
from broadhead.kernels.load import load_kernels
from broadhead.operators.context import Run, Split
from broadhead.plan import nodes
from broadhead.plan.expressions import BoundReference, Call, Expression, Literal
from broadhead.types import DataType

if TYPE_CHECKING:
    from pathlib import Path

    from broadhead.kernels.interface import Kernels


@dataclass
class MemorySources:
    """Record batches as row sources, and files as splits of scan number `node id`."""

    tables: Mapping[int, Sequence[pa.RecordBatch]] = field(default_factory=dict)
    files: Mapping[int, Sequence[Split]] = field(default_factory=dict)
    branches: Mapping[int, int] = field(default_factory=dict)
    partition: int = 0
    drawn: Sequence[int] = ()

    def splits(self, node_id: int) -> Sequence[Split]:
        return self.files.get(node_id, [])

    def branch(self, node_id: int) -> int | None:
        return self.branches.get(node_id)

    def batches(self, source: int) -> Iterator[pa.RecordBatch]:
        return iter(self.tables[source])

    def part(self, node_id: int) -> int:
        return self.partition

    def sample_counts(self, node_id: int) -> MemoryCounts:
        return MemoryCounts(iter(self.drawn))


@dataclass
class MemoryCounts:
    """Numbers of a sample with replacement."""

    numbers: Iterator[int]

    def take(self, rows: int) -> pa.Array:
        return pa.array([next(self.numbers) for _ in range(rows)], pa.int64())


def attributes(**types: DataType) -> tuple[nodes.Attribute, ...]:
    return tuple(nodes.Attribute(name, type_, True) for name, type_ in types.items())


def column(ordinal: int, type_: DataType) -> BoundReference:
    return BoundReference(ordinal, type_, True)


def literal(value: Any, type_: DataType) -> Literal:
    return Literal(value, type_)


def call(name: str, type_: DataType, *children: Expression, **fields: Any) -> Call:
    return Call(name, type_, True, children, tuple(sorted(fields.items())))


def whole_file(path: Path, *partition_values: Any) -> Split:
    return Split(LocalFile(str(path)), 0, path.stat().st_size, partition_values)


def scan(id_: int, **types: DataType) -> nodes.FileScan:
    output = attributes(**types)
    return nodes.FileScan(
        id=id_,
        output=output,
        children=(),
        format="parquet",
        options={},
        data_columns=tuple(types),
        partition_columns=(),
        partition_ordinals=(),
        filters=(),
        filter_columns=output,
    )


def aggregate_call(
    name: str,
    mode: str,
    type_: DataType,
    buffers: Sequence[tuple[DataType, int | None]],
    children: Sequence[Expression] = (),
    **fields: Any,
) -> nodes.AggregateCall:
    return nodes.AggregateCall(
        name=name,
        mode=mode,
        distinct=False,
        type=type_,
        nullable=True,
        fields=tuple(sorted(fields.items())),
        argument_types=tuple(child.type for child in children),
        constants=tuple(child.value if isinstance(child, Literal) else None for child in children),
        children=tuple(children) if mode in {"Partial", "Complete"} else (),
        filter=None,
        buffers=tuple(nodes.BufferAttribute(t, True, ordinal) for t, ordinal in buffers),
    )


def kernels_under_test() -> Kernels:
    """What the option `--kernels` names, set up."""
    kernels = load_kernels(os.environ["BROADHEAD_TEST_KERNELS"])  # type: ignore[arg-type]
    kernels.device.activate(nodes.Settings())
    return kernels


def run_rows(
    root: nodes.Node,
    sources: MemorySources,
    settings: nodes.Settings | None = None,
    context: Run | None = None,
    kernels: Kernels | None = None,
) -> list[tuple[Any, ...]]:
    """The rows of a fragment on these kernels, else those under test, in Arrow's Python values."""
    kernels = kernels or kernels_under_test()
    fragment = nodes.Fragment(root, settings or nodes.Settings(), {})
    rows: list[tuple[Any, ...]] = []
    for batch in run(compile_fragment(fragment), sources, kernels, context or Run()):
        arrays = [kernels.columns.to_arrow(c.data, c.type).to_pylist() for c in batch.columns]
        rows += list(zip(*arrays, strict=True)) if arrays else [()] * batch.length
    return rows
