"""Nodes of a fragment that join two inputs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from broadhead.plan.nodes import Node, Ordinals, chosen
from broadhead.plan.roles import LEFT, RIGHT, Compared, role

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression

JoinType = Literal[
    "Inner", "LeftOuter", "RightOuter", "FullOuter", "LeftSemi", "LeftAnti", "ExistenceJoin"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Join(Node):
    """The common part of joins. Children: left, right.

    `condition` is over the left's output, then the right's. `left_keep` and `right_keep` are the
    ordinals of the children's outputs that are returned, set by `plan.prune`; None means all of
    them.
    """

    join_type: JoinType
    build_side: Literal["left", "right"]
    condition: Expression | None
    left_keep: Ordinals | None = field(default=None, metadata=role(over=LEFT, ordinals=True))
    right_keep: Ordinals | None = field(default=None, metadata=role(over=RIGHT, ordinals=True))

    @property
    def gives_right(self) -> bool:
        """Whether the output has columns of the right side."""
        return self.join_type not in {"LeftSemi", "LeftAnti", "ExistenceJoin"}

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals]:
        """Fewer columns of both sides; the flag of an existence join is always returned."""
        width = len(self.children[LEFT].output)
        flag = [len(self.output) - 1] if self.join_type == "ExistenceJoin" else []
        given = tuple(sorted({*required, *flag}))
        join = replace(
            self,
            output=chosen(self.output, given),
            left_keep=tuple(i for i in required if i < width),
            right_keep=tuple(i - width for i in required if i >= width and self.gives_right),
        )
        return join, given

    @property
    def is_divisible(self) -> bool:
        """Each run builds the whole broadcast, and probes it with its own rows.

        Only a run that reads all rows can return the unmatched rows of the build side.
        """
        left, right = self.children
        stream, build = (left, right) if self.build_side == "right" else (right, left)
        if self.build_side == "left" and not self.gives_right:
            return False
        outer = self.join_type in _OUTER_OF_BUILD[self.build_side]
        return not outer and build.is_replicated and stream.is_divisible


_OUTER_OF_BUILD = {"right": {"RightOuter", "FullOuter"}, "left": {"LeftOuter", "FullOuter"}}
"""Joins that return unmatched rows of the build side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HashJoin(Join):
    """Rows of both sides with equal keys.

    `null_aware`: the anti join of NOT IN, with one key and the right side built.
    """

    operators = (
        "BroadcastHashJoin",
        "ShuffledHashJoin",
        "SortMergeJoin",
    )

    left_keys: tuple[Expression, ...] = field(metadata=role(over=LEFT, compared=Compared.EQUAL))
    right_keys: tuple[Expression, ...] = field(metadata=role(over=RIGHT, compared=Compared.EQUAL))
    null_aware: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedLoopJoin(Join):
    """Rows of both sides for which the condition is true."""

    operators = (
        "BroadcastNestedLoopJoin",
        "CartesianProduct",
    )
