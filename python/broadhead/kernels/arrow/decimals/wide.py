"""The two widths of unscaled data, int64 and 128 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.arrays.layout import UNSCALED

if TYPE_CHECKING:
    from collections.abc import Sequence
LONG_LIMIT = 1 << 63
"""The magnitude from which on values do not fit into int64."""


def is_wide(data: Any) -> bool:
    """True for 128-bit unscaled data."""
    return bool(pa.types.is_decimal(data.type))


def widen(data: Any) -> Any:
    """The same values as 128-bit unscaled data; scalars stay scalars."""
    if is_wide(data):
        return data
    if isinstance(data, pa.Scalar):
        return pa.scalar(data.as_py(), UNSCALED)
    low = views.values(data)
    both = np.empty((len(low), 2), np.int64)
    both[:, 0] = low
    np.right_shift(low, 63, out=both[:, 1], casting="unsafe")
    return views.array(both, UNSCALED, data)


def narrow(data: pa.Array) -> pa.Array | None:
    """The same values as int64, or None if a value does not fit."""
    if not is_wide(data):
        return data
    both = views.limbs(data)
    fits = both[:, 1] == both[:, 0] >> 63
    if not fits.all():
        valid = views.valid(data)
        if valid is None or not (fits | ~valid).all():
            return None
    return views.array(both[:, 0], pa.int64(), data)


def narrowest(data: pa.Array) -> pa.Array:
    """Int64 data if all values fit, otherwise the unchanged data."""
    fitting = narrow(data)
    return data if fitting is None else fitting


def unify(data: Sequence[Any]) -> list[Any]:
    """The same data, all in 128 bits if unscaled data of both widths are among them."""
    if len({d.type for d in data}) > 1 and any(is_wide(d) for d in data):
        return [widen(d) for d in data]
    return list(data)


def bounds(data: Any) -> tuple[int, int]:
    """The least and the greatest value as Python integers; (0, 0) if all are null."""
    if isinstance(data, pa.Scalar):
        value = data.as_py()
        return (0, 0) if value is None else (int(value), int(value))
    extremes = pc.min_max(data)
    low, high = extremes["min"].as_py(), extremes["max"].as_py()
    return (0, 0) if low is None else (int(low), int(high))
