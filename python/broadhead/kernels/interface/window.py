"""Kernels for the partitions, peers and frames of sorted rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.group import Grouping
    from broadhead.kernels.interface.physical import Array

MOST_MEMBERS = 1 << 27
"""Rows of all frames together for functions that read the rows of each frame: 1 GiB of numbers."""

Anchor = Literal["begin", "end", "none"]
"""The fixed end of the frames, while the other end moves.  With `begin` (`end`) the frames that
share a begin (end) are prefixes (suffixes) of one range of rows, and the ranges follow each other
in the order of the frames."""


class Runs(Protocol):
    """Runs: ranges of adjacent rows. Positions and numbers are int64 without nulls."""

    number: Array
    """For each row the number of its run."""

    first: Array
    """The first row of the run of each row."""

    end: Array
    """The row after the last one of the run of each row."""

    starts: Array
    """The first row of each run."""

    ends: Array
    """The row after the last of each run."""


class Window(Protocol):
    """Positions in rows that are sorted by partition, then by order.

    Positions are int64 without nulls. A frame has the rows from its begin (inclusive) to its end
    (exclusive); its begin is never beyond its end.
    """

    def changes(self, keys: Sequence[Array], length: int) -> Array:
        """Mask of the rows that differ from the row before in one of the keys, and of row 0.

        Nulls are equal, NaNs are equal, -0.0 equals 0.0. Keys are of any type but nested ones.
        """

    def runs(self, starts: Array) -> Runs:
        """The runs that start where the mask `starts` is true; it is true in row 0."""

    def count_before(self, mask: Array) -> Array:
        """Number of true rows of the mask before each row, and one more entry with the total."""

    def running_max(self, positions: Array) -> Array:
        """The greatest position up to each row."""

    def clamp(self, positions: Array, low: Array, high: Array) -> Array:
        """The position clamped to `low` and `high`; `high` is not less than `low`."""

    def search(
        self,
        values: Array,
        bounds: Array,
        begin: Array,
        end: Array,
        *,
        descending: bool,
        after: bool,
    ) -> Array:
        """For each row, the first position from `begin` to `end` whose value reaches the bound.

        `values` are sorted between `begin` and `end`, which are the firsts and ends of runs. With
        `after`, the first position whose value is beyond the bound; `end` if there is none. Values
        and bounds are integers, floats in Spark's order, unscaled data, dates or timestamps, as
        many bounds as values; where one is null the result is undefined.
        """

    def frames(self, begin: Array, end: Array, anchor: Anchor) -> Grouping:
        """A group for each frame of the aggregated rows; a row may be in several frames.

        On the CPU, sums of floats with the anchor `begin`, and of frames of a few rows, are added
        in the order of the rows, as in Spark; others may differ in the last digits. `first` and
        `last` of an empty frame are null. `spread` is only for frames that follow each other
        without a gap from the first row to the last one.
        """
