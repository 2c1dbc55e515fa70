"""The distance of the rows that a window function reads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reach:
    """Number of rows read before and after a row, and whether all of its peers are read."""

    before: int = 0
    after: int = 0
    peers: bool = False
