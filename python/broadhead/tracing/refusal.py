"""What ends the interpretation of a function early."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression


class Untraceable(Exception):
    """The function cannot be traced; the text is a short sentence for `explain()`."""


class PathRaises(Exception):
    """Python raises an exception on this path, whatever the rows are."""


class Undecided(Exception):
    """The path depends on a condition that has not been decided yet."""

    def __init__(self, condition: Expression) -> None:
        super().__init__(condition)
        self.condition = condition
