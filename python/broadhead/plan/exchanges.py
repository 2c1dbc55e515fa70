"""Nodes of a fragment that read the output of other tasks, and that write for other tasks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from broadhead.plan.nodes import Node, Ordinals, chosen
from broadhead.plan.roles import Compared, role

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression
    from broadhead.plan.sort_order import SortOrder
    from broadhead.types import DataType


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleRead(Node):
    """Rows of the shuffle blocks of source number `source`.

    `types` are those of all columns in the blocks, `wanted` the ordinals of the output columns,
    which `plan.prune` reduces.
    """

    source: int
    types: tuple[DataType, ...]
    wanted: Ordinals

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals]:
        """The other columns are skipped."""
        wanted = chosen(self.wanted, required)
        return replace(self, output=chosen(self.output, required), wanted=wanted), required


@dataclass(frozen=True, slots=True, kw_only=True)
class BroadcastRead(Node):
    """All rows of the broadcast of source number `source`.

    `types` are those of all its columns, `wanted` the ordinals of the output columns, which
    `plan.prune` reduces. The ordinal after the last column is that of the row ids.
    """

    operators = ("BroadcastExchange",)

    source: int
    types: tuple[DataType, ...]
    wanted: Ordinals

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals]:
        """The other columns are skipped."""
        wanted = chosen(self.wanted, required)
        return replace(self, output=chosen(self.output, required), wanted=wanted), required

    @property
    def is_replicated(self) -> bool:
        """Each task reads all rows."""
        return True


@dataclass(frozen=True, slots=True)
class HashPartitioning:
    """By Spark's hash of the values of `expressions`; rows with equal values have one partition."""

    partitions: int
    expressions: tuple[Expression, ...] = field(metadata=role(compared=Compared.HASHED))


@dataclass(frozen=True, slots=True)
class RangePartitioning:
    """By the number of `bounds` before a row.

    Each bound has constant expressions, one for each of `order`.
    """

    partitions: int
    order: tuple[SortOrder, ...] = field(metadata=role(compared=Compared.ORDERED))
    bounds: tuple[tuple[Expression, ...], ...] = field(metadata=role(compared=Compared.ORDERED))


@dataclass(frozen=True, slots=True)
class RoundRobinPartitioning:
    """Round robin, row by row."""

    partitions: int


@dataclass(frozen=True, slots=True)
class SinglePartition:
    """All rows to the only partition."""

    partitions: int = 1


Partitioning: TypeAlias = (
    HashPartitioning | RangePartitioning | RoundRobinPartitioning | SinglePartition
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleWrite(Node):
    """Writes the child's rows to the task's shuffle file; returns no rows. A root only.

    The output consists of the first columns of the child's; the others are keys. `keep`: the
    ordinals of the child's output that are written, set by `plan.prune`; None means those of the
    output.
    """

    operators = ("ShuffleExchange",)

    partitioning: Partitioning
    keep: Ordinals | None = field(default=None, metadata=role(ordinals=True))

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals]:
        """Columns that only the partitioning reads are not written."""
        return replace(self, keep=required), required

    @property
    def is_divisible(self) -> bool:
        """A round robin would send rows to other partitions when the task runs a second time."""
        in_turn = isinstance(self.partitioning, RoundRobinPartitioning)
        return not in_turn and self.child.is_divisible

    @property
    def gives_any_order(self) -> bool:
        """The order of a shuffle's rows is not defined."""
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeSample(Node):
    """Up to `size` of the child's rows, drawn at random: the values of `order`, and the count.

    The last column is the number of all rows, the same in each row.
    """

    order: tuple[SortOrder, ...]
    size: int
    seed: int

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals]:
        """It returns all of its columns, and reads only the columns of the order."""
        return self, tuple(range(len(self.output)))
