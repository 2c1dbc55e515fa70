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

        Nulls are equal, NaNs are equal, -0.0 equals 0.0, as in Spark's PARTITION BY and for the
        peers of ORDER BY. Keys are of any type but nested ones. Without keys only row 0 is true.
        """

    def runs(self, starts: Array) -> Runs:
        """The runs that begin where the mask `starts` is true, which it is in row 0.

        A run ends before the next one, or with the last row. No rows have no runs.
        """

    def count_before(self, mask: Array) -> Array:
        """How many rows of the mask are true before each row, and the total as one more entry."""

    def running_max(self, positions: Array) -> Array:
        """The greatest position from row 0 to each row, this one included."""

    def clamp(self, positions: Array, low: Array, high: Array) -> Array:
        """Each position, or `low` where it is less, or `high` where it is greater.

        `high` is not less than `low` in any row.
        """

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
        """For each row, the first position whose value reaches its bound: an end of a RANGE frame.

        Parameters
        ----------
        values
            Integers, floats in Spark's order, unscaled data, dates or timestamps, sorted from
            `begin` to `end`. Where one is null the result is undefined.
        bounds
            One for each row, of the type of the values.
        begin, end
            The first row of each row's run, and the row after its last one.
        descending
            Whether the values are sorted from the greatest to the least.
        after
            The first position whose value is beyond the bound, instead of at it. `end` if there is
            none.
        """

    def frames(self, begin: Array, end: Array, anchor: Anchor) -> Grouping:
        """A group for each frame of the aggregated rows; a row may be in several frames.

        On the CPU, sums of floats with the anchor `begin`, and of frames of a few rows, are added
        in the order of the rows, as in Spark; others may differ in the last digits. `first` and
        `last` of an empty frame are null. `spread` is only for frames that follow each other
        without a gap from the first row to the last one.
        """
