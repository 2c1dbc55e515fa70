"""Kernels for joins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array

Pairs = tuple["Array | None", "Array"]
"""Row ids (int32 or int64) of the probe side and of the build side, pair by pair.  None for the
probe side means: each of its rows once, in order."""


class JoinTable(Protocol):
    """The keys of a build side, ready to be probed by any number of batches.

    Keys are equal as in Spark: NaN equals NaN, -0.0 equals 0.0, strings by their bytes; a row with
    a null in any key matches nothing. Probe keys have the types of the build keys (unscaled data
    may differ in width).
    """

    def pairs(self, keys: Sequence[Array], limit: int, *, outer: bool) -> Iterator[Pairs]:
        """The pairs of probe and build rows with equal keys, in no order.

        Parameters
        ----------
        keys
            The keys of a batch of probe rows, in the order of the build keys.
        limit
            About how many pairs a batch has. No batch is empty, and a row with many matches may
            make one larger.
        outer
            Each probe row without a match gives one pair with null for the build row, as in an
            outer join.
        """

    def matches(self, keys: Sequence[Array]) -> Array:
        """Mask of the probe rows that have a match; false for a null in a key.

        For semi, anti and existence joins.
        """

    def differs(self, keys: Sequence[Array], values: Array, built: Array) -> Array | None:
        """Mask of the probe rows that match a build row with another value, both not null.

        `values` are those of the probe rows, `built` those of the build rows, the same ones in each
        call. None if these kernels need the pairs for it. For EXISTS with a condition `<>`.
        """

    def mark(self, keys: Sequence[Array]) -> None:
        """Record the build rows that match these probe rows, for `marked`."""

    def marked(self) -> Array:
        """Mask of the build rows that matched a probe row of any call of `mark`.

        Build rows with a null in a key are never marked: an outer join of the build side returns
        them.
        """


class Bitmap(Protocol):
    """A growing set of row ids."""

    def add(self, rows: Array) -> None:
        """Add these row ids to the set. They are integers without nulls, and may repeat."""

    def mask(self) -> Array:
        """Mask of the row ids that have been added, as long as the set."""


class Join(Protocol):
    """Joins: one build side, probed by many batches."""

    def build(self, keys: Sequence[Array]) -> JoinTable:
        """A hash table of rows with these keys: at least one, of any type but nested ones.

        Nested keys are encoded as binaries first (`Keys.comparable`).
        """

    def cross(self, probe_rows: int, build_rows: int, limit: int) -> Iterator[Pairs]:
        """All pairs of `probe_rows` and `build_rows` rows, ordered by probe row.

        They come in batches of at most `limit` pairs; there is none if a side has no rows.
        """

    def scans(self, rows: int) -> bool:
        """Whether a nested loop join should test so many rows with one row at a time.

        False where it is faster to form all pairs: for few rows, and on a GPU.
        """

    def bitmap(self, length: int) -> Bitmap:
        """An empty set of row ids from 0 to `length` - 1."""
