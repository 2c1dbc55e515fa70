"""Kernels for grouping and aggregation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array

Kind = Literal[
    "sum",
    "sum_checked",
    "sum_unscaled",
    "count",
    "min",
    "max",
    "first",
    "last",
    "first_valid",
    "last_valid",
    "moment2",
    "last_of_min",
    "last_of_max",
    "bit_and",
    "bit_or",
    "bit_xor",
]


@dataclass(frozen=True, slots=True)
class Request:
    """One aggregate of some values, one value for each input row."""

    kind: Kind
    values: Array
    precision: int = 0
    """Of the result of `sum_unscaled`, in decimal digits; the other kinds have none."""


class Grouping(Protocol):
    """Grouped rows."""

    size: int
    """Number of groups."""

    keys: list[Array]
    """The key values of each group."""

    def aggregate(self, requests: Sequence[Request]) -> list[Any]:
        """One result for each request: an Array of `size` rows, or Checked for checked kinds.

        All requests of a call share the work of grouping, so callers combine them.

        - sum: integers of any width give int64, wrapping around; floats give float64; null for no
          values.
        - sum_checked: of int64; fails if an intermediate sum, in some order of additions, may
          overflow int64: if the sum of the values of one sign does not fit.
        - sum_unscaled: of unscaled data; fails if an intermediate sum, in some order of additions,
          may exceed the precision: if the sum of the values of one sign does.
        - count: of the values that are not null, int64.
        - min, max: Spark's order (NaN greatest), for all types with an order; null for no values.
        - first, last: the first or last row's value, null or not, in the order of the input;
          first_valid and last_valid skip nulls. For all types, including nested ones.
        - moment2: float64 sum of squared differences from the group's mean, of floats; null for no
          values.
        - last_of_min, last_of_max: the number (int64) of the last row with the least or greatest
          value, in Spark's order, for all types with one but nested ones; null for no values.
        - bit_and, bit_or, bit_xor: of integers, in their type; null for no values.
        """

    def spread(self, values: Array) -> Array:
        """For each input row, the value of its group (`values` has `size` rows)."""

    def members(self) -> tuple[Array, Array]:
        """The input rows, group after group.

        The numbers of the rows of each group, in their order; and the place of each group's first
        row among these, with the number of all in the end. Both int64. Raises EngineLimit for
        frames with too many rows together.
        """


class Group(Protocol):
    """Hash aggregation in memory."""

    def group(self, keys: Sequence[Array], length: int) -> Grouping:
        """Groups by equal keys.

        Nulls are equal, NaNs are equal, -0.0 equals 0.0 (either may be returned; callers
        normalise). No keys: exactly one group, also for no rows. Keys are of any type but nested
        ones.
        """

    def each_row(self, keys: Sequence[Array], length: int) -> Grouping:
        """One group for each row, in the order of the rows, also for equal keys."""

    def hash_partition(self, keys: Sequence[Array], partitions: int, seed: int) -> Array:
        """A number in [0, partitions) for each row, int32, equal for equal keys.

        Nulls, NaNs and zeros are equal as in `group`, and a key has the same number in every batch
        of the process. For spilling: not Spark's hash.
        """
