"""Three-valued logic and choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow.physical import as_array, same_width

Array = Any
Data = Any


def and_(left: Data, right: Data) -> Array:
    """Kleene and."""
    return as_array(pc.and_kleene(left, right))


def or_(left: Data, right: Data) -> Array:
    """Kleene or."""
    return as_array(pc.or_kleene(left, right))


def not_(data: Array) -> Array:
    """Not; null stays null."""
    return as_array(pc.invert(data))


def is_null(data: Array) -> Array:
    """Mask of the nulls (NaN is not null)."""
    return as_array(pc.is_null(data))


def is_valid(data: Array) -> Array:
    """Mask of the values that are not null."""
    return as_array(pc.is_valid(data))


def is_nan(data: Array) -> Array:
    """Mask of the NaNs; false for null."""
    return is_true(as_array(pc.is_nan(data)))


def is_true(data: Array) -> Array:
    """Mask: null becomes false."""
    return data if not data.null_count else as_array(pc.fill_null(data, fill_value=False))


def any(mask: Array) -> bool:  # noqa: A001 - the interface's name
    """Whether a row is true (nulls are not)."""
    return bool(pc.any(mask, min_count=0).as_py())


def all(mask: Array) -> bool:  # noqa: A001 - the interface's name
    """Whether every row is true (nulls are not); true for no rows."""
    return not mask.null_count and bool(pc.all(mask, min_count=0).as_py())


def if_else(condition: Array, then: Data, otherwise: Data) -> Array:
    """`then` where true, `otherwise` where false or null."""
    then, otherwise = same_width(then, otherwise)
    return as_array(pc.if_else(is_true(condition), then, otherwise))


def coalesce(data: Sequence[Data]) -> Array:
    """The first value that is not null."""
    result = data[0]
    for other in data[1:]:
        left, right = same_width(result, other)
        result = pc.coalesce(left, right)
    return as_array(result)


def null_where(data: Array, mask: Array) -> Array:
    """`data` with null where `mask` is true."""
    return as_array(pc.if_else(mask, pa.scalar(None, data.type), data))
