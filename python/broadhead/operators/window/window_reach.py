"""The distance of the rows that a window function reads; decides if a partition may be split."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.aggregate.aggregate_calls import entry_of
from broadhead.plan.expressions import Literal
from broadhead.plan.windows import AggregateWindow
from broadhead.window_functions.frames import is_whole
from broadhead.window_functions.reach import Reach
from broadhead.window_functions.registry import window_functions

if TYPE_CHECKING:
    from broadhead.plan.windows import Bound, Frame, Window, WindowFunction


def reach(node: Window) -> Reach | None:
    """The greatest reach of all functions; None if a function needs its whole partition in memory.

    Aggregates of all rows before or after a row are combined from blocks, and do not count.
    """
    total = Reach()
    for function in node.functions:
        own = _reach(function, ordered=bool(node.order))
        if own is None:
            return None
        total = Reach(
            max(total.before, own.before), max(total.after, own.after), total.peers or own.peers
        )
    return total


def _reach(function: WindowFunction, *, ordered: bool) -> Reach | None:
    if isinstance(function, AggregateWindow):
        registered = entry_of(function.call)
        if registered.whole_groups or not registered.frames:
            return None
        whole = is_whole(function.frame, ordered=ordered)
        return Reach() if whole else _of_frame(function.frame)
    return window_functions()[function.name].reach(function)


def _of_frame(frame: Frame) -> Reach | None:
    lower, upper = _rows(frame, frame.lower), _rows(frame, frame.upper)
    if lower is None or upper is None:
        return None
    # an unbounded end is combined from blocks only if the frame contains the row itself
    if (frame.lower == "unbounded" and upper < 0) or (frame.upper == "unbounded" and lower > 0):
        return None
    return Reach(max(-lower, 0), max(upper, 0), frame.type == "Range")


def _rows(frame: Frame, bound: Bound) -> int | None:
    """The bound's distance from the row, 0 for its peers or all rows; None if unknown."""
    if bound in ("unbounded", "current"):
        return 0
    if frame.type == "Rows" and isinstance(bound, Literal):
        return int(bound.value)
    return None
