"""Figures as readers see them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_FOLDER = re.compile(r" at (?:/[^/\s]+)*/(?=[^/\s]+:\d+$)")
_SHORT = 110
_SHOWN_NUMBERS = 12
_MINUTE_MS = 60_000
_HOUR_MS = 60 * _MINUTE_MS


def time(ms: float) -> str:
    """Give a time: `12 ms`, `3.4 s`, `5 min 20 s` or `2 h 5 min`."""
    if ms < 1000:
        return f"{ms:.0f} ms"
    if ms < _MINUTE_MS:
        return f"{ms / 1000:.1f} s"
    if ms < _HOUR_MS:
        return f"{ms // _MINUTE_MS:.0f} min {ms % _MINUTE_MS / 1000:.0f} s"
    return f"{ms // _HOUR_MS:.0f} h {ms % _HOUR_MS / _MINUTE_MS:.0f} min"


def percent(share: float) -> str:
    """Give a share as whole percent."""
    return f"{100 * share:.0f} %"


def ratio(value: float) -> str:
    """Give how many times faster."""
    return f"{value:.2f}x" if value else "-"


def size(count: float) -> str:
    """Give a number of bytes in binary units."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"


def span(low: float, high: float) -> str:
    """Give a range of how many times faster."""
    return f"{low:.1f} to {high:.1f}x"


def short(text: str) -> str:
    """Give the beginning of a text, on one line; a line of a program without its folder."""
    line = _FOLDER.sub(" at ", " ".join(text.split()))
    return line if len(line) <= _SHORT else line[: _SHORT - 3] + "..."


def numbers(values: Sequence[int]) -> str:
    """Give the first numbers of a list."""
    shown = ", ".join(map(str, values[:_SHOWN_NUMBERS]))
    return (
        shown
        if len(values) <= _SHOWN_NUMBERS
        else f"{shown} and {len(values) - _SHOWN_NUMBERS} more"
    )
