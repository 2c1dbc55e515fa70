"""How equal results are to Spark's; docs/compatibility.md says what each level promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

Level = Literal["exact", "last digits", "any order", "documented difference"]

LEVELS: tuple[Level, ...] = ("exact", "last digits", "any order", "documented difference")
"""From the strongest to the weakest."""


def weakest(levels: Iterable[Level]) -> Level:
    """The weakest of some levels, exact if there is none."""
    return max(levels, key=LEVELS.index, default="exact")
