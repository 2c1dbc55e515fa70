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
        """The pairs of rows with equal keys, in no order.

        They come in batches of about `limit` pairs; no batch is empty. With `outer`, each probe row
        without a match gives one pair with null for the build row.
        """

    def matches(self, keys: Sequence[Array]) -> Array:
        """Mask of the probe rows that have a match."""

    def differs(self, keys: Sequence[Array], values: Array, built: Array) -> Array | None:
        """Mask of the probe rows that match a build row with another value, neither of them null.

        `values` are those of the probe rows, `built` those of the build rows, the same ones in each
        call. None if this needs the pairs.
        """

    def mark(self, keys: Sequence[Array]) -> None:
        """Record the build rows that match these probe rows."""

    def marked(self) -> Array:
        """Mask of the build rows recorded by `mark`."""


class Bitmap(Protocol):
    """A growing set of row ids."""

    def add(self, rows: Array) -> None:
        """Add these row ids (no nulls, repeats allowed) to the set."""

    def mask(self) -> Array:
        """Mask of the rows in the set."""


class Join(Protocol):
    """Joins: one build side, probed by many batches."""

    def build(self, keys: Sequence[Array]) -> JoinTable:
        """A join table of rows with these keys, at least one, of any type but nested ones."""

    def cross(self, probe_rows: int, build_rows: int, limit: int) -> Iterator[Pairs]:
        """All pairs of the rows, ordered by probe row, in batches of at most `limit` pairs."""

    def scans(self, rows: int) -> bool:
        """Whether testing so many rows with one row at a time is faster than forming pairs."""

    def bitmap(self, length: int) -> Bitmap:
        """An empty set of row ids below `length`."""
