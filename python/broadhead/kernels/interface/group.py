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
    """The groups of some rows, or the frames of a window as groups."""

    size: int
    """Number of groups."""

    keys: list[Array]
    """The key values of each group."""

    def aggregate(self, requests: Sequence[Request]) -> list[Any]:
        """One result for each request: an Array of `size` rows, or Checked for checked kinds.

        All requests of a call share the work of grouping, so callers combine them. Null values are
        left out, and a group without other values gives null, unless a kind says otherwise.

        - sum: integers of any width give int64, wrapping around; floats give float64.
        - sum_checked: of int64; fails if an intermediate sum, in some order of additions, may
          overflow int64: if the sum of the values of one sign does not fit.
        - sum_unscaled: of unscaled data; fails if an intermediate sum, in some order of additions,
          may exceed the precision: if the sum of the values of one sign does.
        - count: of the values that are not null, int64; 0 for none.
        - min, max: Spark's order (NaN greatest), for all types with an order.
        - first, last: the first or last row's value, null or not, in the order of the input;
          first_valid and last_valid skip nulls. For all types, including nested ones.
        - moment2: float64 sum of squared differences from the group's mean, of floats.
        - last_of_min, last_of_max: the row id (int64) of the last row with the least or greatest
          value, in Spark's order, for all types with one but nested ones.
        - bit_and, bit_or, bit_xor: of integers, in their type.
        """

    def spread(self, values: Array) -> Array:
        """For each input row, the value of its group.

        `values` has `size` rows. A null value is null in each row of its group.
        """

    def members(self) -> tuple[Array, Array]:
        """The row ids of the input rows, group after group, and where each group begins among them.

        Both are int64. The first keeps the order of the rows in each group. The second has `size +
        1` entries, from 0 to the number of all members. Raises `EngineLimit` for frames that have
        too many rows together (`window.MOST_MEMBERS`).
        """


class Group(Protocol):
    """Hash aggregation in memory."""

    def group(self, keys: Sequence[Array], length: int) -> Grouping:
        """Groups by equal keys, for `length` rows.

        Nulls are equal, NaNs are equal, -0.0 equals 0.0 (either may be returned; callers
        normalise), as in Spark's GROUP BY. Without keys there is exactly one group, also for no
        rows. Keys are of any type but nested ones. The order of the groups is undefined.
        """

    def each_row(self, keys: Sequence[Array], length: int) -> Grouping:
        """One group for each of `length` rows, in their order, also for equal keys.

        For a partial aggregation that does not reduce its input.
        """

    def hash_partition(self, keys: Sequence[Array], partitions: int, seed: int) -> Array:
        """A number for each row, int32 from 0 to `partitions` - 1; equal for equal keys.

        Keys, at least one, are equal as in `group`, and have the same number in every batch of the
        process. Another `seed` divides the rows of a partition again. For spilling: not Spark's
        hash.
        """
