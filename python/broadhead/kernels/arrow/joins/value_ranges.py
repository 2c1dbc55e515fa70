"""The least and the greatest value of the build rows of each key."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow.arrays import views

_LIMITS = np.iinfo(np.int64)


class ValueRanges:
    """Decides whether a key has values other than a given one: its least or greatest value differs.

    So `EXISTS (... WHERE b.key = a.key AND b.value <> a.value)` needs no pairs of rows; there may
    be many for each key.
    """

    def __init__(self, leaders: Any, values: pa.Array) -> None:
        """`leaders`: the leader of the key of each build row, -1 for a null key."""
        known = leaders >= 0
        valid = views.valid(values)
        if valid is not None:
            known &= valid
        chosen = views.values(values).astype(np.int64, copy=False)
        # one more entry, with index -1, for rows without a match
        self._least = np.full(len(leaders) + 1, _LIMITS.max)
        self._greatest = np.full(len(leaders) + 1, _LIMITS.min)
        rows = leaders
        if not known.all():
            rows, chosen = rows[known], chosen[known]
        np.minimum.at(self._least, rows, chosen)
        np.maximum.at(self._greatest, rows, chosen)

    def differs(self, leaders: Any, values: pa.Array) -> pa.Array:
        """Mask of the rows whose leader (-1: none) has a value other than the row's own."""
        own = views.values(values)
        least, greatest = self._least[leaders], self._greatest[leaders]
        mask = (least <= greatest) & ((least != own) | (greatest != own))
        valid = views.valid(values)
        return pa.array(mask if valid is None else mask & valid)


def has_ranges(values: pa.Array) -> bool:
    """Whether the values are different exactly if their integers are."""
    return bool(pa.types.is_signed_integer(values.type) or pa.types.is_date32(values.type))
