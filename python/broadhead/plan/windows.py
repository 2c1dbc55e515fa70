"""Window functions of a fragment, their frames, and the nodes that compute them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from broadhead.plan import expressions
from broadhead.plan.nodes import AggregateCall, Node, Ordinals, PassThrough, chosen
from broadhead.plan.roles import Compared, role

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression
    from broadhead.plan.sort_order import SortOrder
    from broadhead.types import DataType


@dataclass(frozen=True, slots=True)
class Interval:
    """The distance of a bound from a date or timestamp; days and months are those of `zone`."""

    months: int
    days: int
    microseconds: int
    zone: str | None


Bound = Literal["unbounded", "current"] | expressions.Literal | Interval
"""The begin or end of a frame: a literal is added to the row's number or to its order value."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The rows of the partition that a function sees: `type` is Rows or Range."""

    type: str
    lower: Bound
    upper: Bound


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowCall:
    """One window function other than an aggregate; `name` is Spark's class."""

    name: str
    type: DataType
    fields: tuple[tuple[str, Any], ...]
    children: tuple[Expression, ...]
    frame: Frame


@dataclass(frozen=True, slots=True)
class AggregateWindow:
    """One aggregate function over frames, in mode Complete."""

    call: AggregateCall
    frame: Frame


WindowFunction = WindowCall | AggregateWindow


def expressions_of(function: WindowFunction) -> list[Expression]:
    """The expressions that a function reads: its arguments, then its filter."""
    if isinstance(function, WindowCall):
        return list(function.children)
    condition = function.call.filter
    return [*function.call.children, *([condition] if condition is not None else [])]


@dataclass(frozen=True, slots=True, kw_only=True)
class Window(Node):
    """The child's columns, then one for each of `functions`.

    The child's rows are sorted by `partition`, then by `order`. `keep`: the ordinals of the child's
    output that are returned, set by `plan.prune`; None means all of them.
    """

    operators = ("Window",)

    partition: tuple[Expression, ...] = field(metadata=role(compared=Compared.EQUAL))
    order: tuple[SortOrder, ...] = field(metadata=role(compared=Compared.ORDERED))
    functions: tuple[WindowFunction, ...]
    keep: Ordinals | None = field(default=None, metadata=role(ordinals=True))

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals]:
        """Fewer columns of the child, and fewer functions."""
        width = len(self.child.output)
        window = replace(
            self,
            output=chosen(self.output, required),
            functions=chosen(self.functions, [i - width for i in required if i >= width]),
            keep=tuple(i for i in required if i < width),
        )
        return window, required


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowGroupLimit(PassThrough):
    """The child's rows whose rank in their partition is at most `limit`.

    `rank` is RowNumber, Rank or DenseRank. The child's rows are sorted by `partition`, then by
    `order`.
    """

    operators = ("WindowGroupLimit",)

    partition: tuple[Expression, ...] = field(metadata=role(compared=Compared.EQUAL))
    order: tuple[SortOrder, ...] = field(metadata=role(compared=Compared.ORDERED))
    rank: str
    limit: int
