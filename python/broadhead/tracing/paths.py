"""The paths through a function: one for each outcome of the conditions that it branches on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.tracing.obligations import with_obligations
from broadhead.tracing.refusal import PathRaises, Undecided, Untraceable
from broadhead.tracing.terms import guarded, if_, not_

if TYPE_CHECKING:
    from collections.abc import Callable

    from broadhead.plan.expressions import Expression

MOST_PATHS = 32


@dataclass(slots=True)
class Decisions:
    """The outcomes of the conditions of one path, in their order."""

    outcomes: tuple[bool, ...]
    known: dict[Expression, bool]
    used: int = 0

    def decide(self, condition: Expression) -> bool:
        """The outcome of a condition on this path; raises `Undecided` at the path's end."""
        if condition not in self.known:
            if self.used == len(self.outcomes):
                raise Undecided(condition)
            self.known[condition] = self.outcomes[self.used]
            self.used += 1
        return self.known[condition]


def explore(run: Callable[[Decisions], Expression]) -> Expression | None:
    """The expression of all paths; None if Python raises an exception on each of them."""
    left = [MOST_PATHS]

    def follow(outcomes: tuple[bool, ...]) -> Expression | None:
        try:
            return run(Decisions(outcomes, {}))
        except PathRaises:
            return None
        except Undecided as fork:
            condition = fork.condition
        left[0] -= 1
        if left[0] <= 0:
            raise Untraceable(f"it has more than {MOST_PATHS} paths")
        return either(condition, follow((*outcomes, True)), follow((*outcomes, False)))

    return follow(())


def either(
    condition: Expression, then: Expression | None, otherwise: Expression | None
) -> Expression | None:
    """`then` where the condition is true, else `otherwise`; None raises."""
    if then is None:
        return None if otherwise is None else guarded(otherwise, not_(condition))
    if otherwise is None:
        return guarded(then, condition)
    if then == otherwise:
        return with_obligations(then, [condition], ())
    return if_(condition, then, otherwise)
