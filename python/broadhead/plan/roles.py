"""The meaning of the expressions and ordinals in a field of a node: its role, in its metadata.

A field without a role holds expressions over the columns of the node's children, one child after
the other. Fields of dataclasses inside a node, such as those of an aggregate call, can have roles.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from dataclasses import Field
    from typing import Any


class Over(Enum):
    """The columns to which ordinals refer; those of a single child if it is the child's number."""

    CHILDREN = auto()
    """Those of all children, one child after the other."""
    EACH_CHILD = auto()
    """For each item of the field, those of the child with the item's number."""
    OTHER = auto()
    """Not a child's: columns of a file, or values that the node computes itself."""


LEFT, RIGHT = 0, 1
"""The children of a join."""


class Compared(Enum):
    """How an operator itself compares the values of an expression, without a function."""

    NO = auto()
    EQUAL = auto()
    ORDERED = auto()
    HASHED = auto()
    """By Spark's hash, which accepts nested values."""


@dataclass(frozen=True, slots=True)
class Role:
    """The meaning of a field's content; `ordinals`: its integers are ordinals of columns."""

    over: Over | int = Over.CHILDREN
    compared: Compared = Compared.NO
    ordinals: bool = False


def role(
    *, over: Over | int = Over.CHILDREN, compared: Compared = Compared.NO, ordinals: bool = False
) -> Mapping[str, Role]:
    """The metadata of a field with this role."""
    return {_KEY: Role(over, compared, ordinals)}


def role_of(field: Field[Any]) -> Role:
    """The role of a node's field."""
    own: Role = field.metadata.get(_KEY, Role())
    return own


def role_inside(outer: Role, field: Field[Any]) -> Role:
    """The role of a field of a dataclass that stands in a field with the role `outer`."""
    own = role_of(field)
    compared = outer.compared if own.compared is Compared.NO else own.compared
    return replace(own, over=outer.over, compared=compared)


_KEY = "role"
