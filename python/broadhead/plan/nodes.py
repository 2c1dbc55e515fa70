"""Nodes of a fragment: what Spark's physical operators become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broadhead.plan.expressions import Expression
    from broadhead.plan.sort_order import SortOrder
    from broadhead.types import DataType


@dataclass(frozen=True, slots=True)
class Attribute:
    """Name, type and nullability of one output column."""

    name: str
    type: DataType
    nullable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What all nodes have: `id` is unique in the fragment and names the node in metrics."""

    id: int
    output: tuple[Attribute, ...]
    children: tuple[Node, ...]

    @property
    def child(self) -> Node:
        """The only child."""
        (child,) = self.children
        return child


@dataclass(frozen=True, slots=True, kw_only=True)
class ParquetScan(Node):
    """Rows of Parquet splits.

    `data_columns` from the files, then `partition_columns` from the paths. `partition_ordinals`
    are the places of the latter in a split's `partitionValues`. `filters`, whose ordinals refer
    to `filter_columns`, may only be used to skip row groups.
    """

    data_columns: tuple[str, ...]
    partition_columns: tuple[str, ...]
    partition_ordinals: tuple[int, ...]
    filters: tuple[Expression, ...]
    filter_columns: tuple[Attribute, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSource(Node):
    """Batches that the JVM sends as source number `source`."""

    source: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter(Node):
    """Rows of the child for which `condition` is true.

    `keep`: the ordinals of the child's output that go on, set by `plan.prune`; None is all of
    them.
    """

    condition: Expression
    keep: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Project(Node):
    """One column for each of `expressions`."""

    expressions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class BufferAttribute:
    """One buffer of an aggregate.

    `ordinal` is its place in the child's output, for modes that merge.
    """

    type: DataType
    nullable: bool
    ordinal: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateCall:
    """One aggregate function: `mode` is Partial, PartialMerge, Final or Complete.

    `children` and `filter` are over the child's output in the modes that update; in the others
    only the types in `argument_types` are known.
    """

    name: str
    mode: str
    distinct: bool
    type: DataType
    nullable: bool
    fields: tuple[tuple[str, Any], ...]
    argument_types: tuple[DataType, ...]
    children: tuple[Expression, ...]
    filter: Expression | None
    buffers: tuple[BufferAttribute, ...]

    @property
    def updates(self) -> bool:
        """True where rows go in, false where buffers go in."""
        return self.mode in {"Partial", "Complete"}

    @property
    def finishes(self) -> bool:
        """True where results come out, false where buffers come out."""
        return self.mode in {"Final", "Complete"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HashAggregate(Node):
    """Groups by `grouping`.

    `results` are over the aggregated row: the grouping values, then each aggregate's result or
    buffers.
    """

    grouping: tuple[Expression, ...]
    aggregates: tuple[AggregateCall, ...]
    results: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort(Node):
    """The child's rows in `order`: the first `limit` of them, or all where it is None.

    `keep`: the ordinals of the child's output that go on, set by `plan.prune`; None is all of
    them.
    """

    order: tuple[SortOrder, ...]
    limit: int | None
    keep: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit(Node):
    """The child's rows without the first `offset`: `limit` of them, or all where it is None."""

    limit: int | None
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Union(Node):
    """The rows of the child that the task is told to run.

    `keep`: for each child the ordinals of its output that go on, set by `plan.prune`; None is all
    of them.
    """

    keep: tuple[tuple[int, ...], ...] | None = None


@dataclass(frozen=True, slots=True)
class Zone:
    """A time zone.

    `offsets[i]` seconds east of UTC hold before `transitions[i]` (UTC seconds), the last one
    after them all. Known up to the year 2500.
    """

    transitions: tuple[int, ...]
    offsets: tuple[int, ...]


DEFAULT_BATCH_ROWS = 131_072
"""About one row group of 1 MiB pages: stays in a core's cache, and is not put together from two."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user's configuration says to the engine.

    `encrypted`: no rows may lie on a local disk in clear, so no operator spills.
    """

    device: str = "auto"
    ansi: bool = True
    time_zone: str = "UTC"
    case_sensitive: bool = False
    batch_rows: int = DEFAULT_BATCH_ROWS
    operator_memory: int = 512 << 20
    gpu_memory_fraction: float = 0.8
    gpu_concurrent_tasks: int = 4
    gpu_streams: int = 4
    encrypted: bool = False


@dataclass(frozen=True, slots=True)
class Fragment:
    """A tree of nodes that one task runs in one call."""

    root: Node
    settings: Settings
    zones: Mapping[str, Zone]
