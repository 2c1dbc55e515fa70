"""How far an answer may be from Spark's, by the levels of docs/compatibility.md in its plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.functions.registry import functions

if TYPE_CHECKING:
    from broadhead.explanation import Explanation

SUMS = 1e-12
ULPS = 2


@dataclass(frozen=True, slots=True)
class Leeway:
    """What of an answer may differ from Spark's; nothing by default.

    Floats by `relative` of their magnitude or by `ulps`, units in the last place; the elements of
    lists in their order, if that may be `any_order`.
    """

    relative: float = 0.0
    ulps: int = 0
    any_order: bool = False


EXACT = Leeway()


def leeway_of(explanation: Explanation | None, tolerance: float) -> Leeway:
    """That of a query, by the levels in its plan; `tolerance` is what its file says."""
    found = [level for node in explanation.nodes for level in node.levels] if explanation else []
    levels = dict(level.partition(": ")[::2] for level in found)
    names = {name for level in found for name in _names(level, "last digits")}
    of_rows = {function.name for function in functions().values()}
    return Leeway(
        relative=max(tolerance, SUMS if names - of_rows else 0.0),
        ulps=ULPS if names & of_rows else 0,
        any_order="any order" in levels,
    )


def _names(text: str, level: str) -> list[str]:
    head, _, names = text.partition(": ")
    return names.split(", ") if head == level else []
