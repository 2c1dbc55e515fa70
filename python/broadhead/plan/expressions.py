"""Expressions of a fragment, as Spark resolved and bound them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from broadhead.types import DataType


@dataclass(frozen=True, slots=True)
class BoundReference:
    """Column number `ordinal` of the input."""

    ordinal: int
    type: DataType
    nullable: bool


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant.

    `value` is the Python form of the physical value, or None: int for integers, dates, timestamps
    and (unscaled) decimals, float, str, bytes, bool, tuple for arrays and structs.
    """

    value: Any
    type: DataType

    @property
    def nullable(self) -> bool:
        """True for NULL."""
        return self.value is None

    def __hash__(self) -> int:
        return hash((repr(self.value), self.type))

    def __eq__(self, other: object) -> bool:
        # repr, because NaN must equal itself and 0.0 must differ from -0.0
        return (
            isinstance(other, Literal)
            and self.type == other.type
            and repr(self.value) == repr(other.value)
        )


@dataclass(frozen=True, slots=True)
class Call:
    """A Spark expression.

    `name` is the class, `fields` its parameters that are not children, sorted by name.
    """

    name: str
    type: DataType
    nullable: bool
    children: tuple[Expression, ...]
    fields: tuple[tuple[str, Any], ...] = ()


Expression = BoundReference | Literal | Call

ROW_COUNTER = "RowCounter"
"""The call that counts the rows for which it is evaluated, in a metric; its value is the child's.

With a second child it counts the rows for which that is true.
"""

COMPARABLE = "Comparable"
"""The call that encodes a nested value as binary; not an expression of Spark."""
