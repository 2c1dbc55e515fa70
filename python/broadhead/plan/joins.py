"""Nodes of a fragment that join two inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from broadhead.plan.nodes import Node

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression

JoinType = Literal[
    "Inner", "LeftOuter", "RightOuter", "FullOuter", "LeftSemi", "LeftAnti", "ExistenceJoin"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Join(Node):
    """What joins have in common. Children: left, right.

    `condition` is over the left's output, then the right's. `left_keep` and `right_keep` are the
    ordinals of the children's outputs that go on, set by `plan.prune`; None is all of them.
    """

    join_type: JoinType
    build_side: Literal["left", "right"]
    condition: Expression | None
    left_keep: tuple[int, ...] | None = None
    right_keep: tuple[int, ...] | None = None

    @property
    def gives_right(self) -> bool:
        """Whether columns of the right side come out."""
        return self.join_type not in {"LeftSemi", "LeftAnti", "ExistenceJoin"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HashJoin(Join):
    """Rows of both sides with equal keys.

    `null_aware`: the anti join of NOT IN, with one key and the right side built.
    """

    left_keys: tuple[Expression, ...]
    right_keys: tuple[Expression, ...]
    null_aware: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedLoopJoin(Join):
    """Rows of both sides for which the condition is true."""
