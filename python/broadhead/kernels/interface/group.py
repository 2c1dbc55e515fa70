"""How kernels put rows into groups and aggregate them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

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
]
Request = tuple[Kind, Array, int]
"""Kind, values, and the precision for `sum_unscaled` (0 for the others)."""


class Grouping(Protocol):
    """Rows put into groups."""

    size: int
    """Number of groups."""

    keys: list[Array]
    """The key values of each group."""

    def aggregate(self, requests: Sequence[Request]) -> list[Any]:
        """One result for each request: an Array of `size` rows, or Checked for checked kinds.

        All requests of a call share the work of grouping, so callers collect them.

        - sum: integers of any width give int64, wrapping around; floats give float64; null for no
          values.
        - sum_checked: of int64; fails where some order of additions would pass int64 on its way:
          where the sum of the values of one sign does not fit.
        - sum_unscaled: of unscaled data; fails where some order of additions would have more than
          that many digits on its way: where the sum of the values of one sign has.
        - count: of the values that are not null, int64.
        - min, max: Spark's order (NaN greatest), for all types that compare; null for no values.
        - first, last: the first or last row's value, null or not, in the order of the input;
          first_valid and last_valid skip nulls. Of all types, nested ones too.
        - moment2: float64 sum of squared differences from the group's mean, of floats; null for
          no values.
        """

    def spread(self, values: Array) -> Array:
        """For each input row, the value of its group (`values` has `size` rows)."""


class Group(Protocol):
    """Hash aggregation in memory."""

    def group(self, keys: Sequence[Array], length: int) -> Grouping:
        """Groups by equal keys.

        Nulls are equal, NaNs are equal, -0.0 equals 0.0 (either may come out; callers normalise).
        No keys: exactly one group, also for no rows. Keys are of any type but nested ones.
        """

    def each_row(self, keys: Sequence[Array], length: int) -> Grouping:
        """Every row as a group of its own, in the order of the rows; equal keys stay apart."""

    def hash_partition(self, keys: Sequence[Array], parts: int, seed: int) -> Array:
        """For each row a number in [0, parts), int32, equal for equal keys.

        Nulls, NaNs and zeros are equal as in `group`, and a key has the same number in every batch
        of the process. For spilling: not Spark's hash.
        """
