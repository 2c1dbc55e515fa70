"""Three-valued logic and choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.decimals import wide

if TYPE_CHECKING:
    from collections.abc import Sequence


def and_(left: Any, right: Any) -> Any:
    """Kleene and."""
    return pc.and_kleene(left, right)


def or_(left: Any, right: Any) -> Any:
    """Kleene or."""
    return pc.or_kleene(left, right)


def not_(data: Any) -> Any:
    """Not; null stays null."""
    return pc.invert(data)


def is_null(data: Any) -> Any:
    """Mask of the nulls (NaN is not null)."""
    return pc.is_null(data)


def is_valid(data: Any) -> Any:
    """Mask of the values that are not null."""
    return pc.is_valid(data)


def is_nan(data: Any) -> Any:
    """Mask of the NaNs; false for null."""
    return is_true(pc.is_nan(data))


def is_true(data: Any) -> Any:
    """Mask: null becomes false."""
    return pc.fill_null(data, False) if data.null_count else data


def any(mask: Any) -> bool:
    """Whether a row is true (nulls are not)."""
    return bool(pc.any(mask, min_count=0).as_py())


def all(mask: Any) -> bool:
    """Whether every row is true (nulls are not); true for no rows."""
    return not mask.null_count and bool(pc.all(mask, min_count=0).as_py())


def if_else(condition: Any, then: Any, otherwise: Any) -> Any:
    """`then` where true, `otherwise` where false or null."""
    then, otherwise = wide.unify([then, otherwise])
    mask = is_true(condition)
    # pyarrow 23 and earlier combine a null scalar with sliced strings incorrectly
    if _is_null(otherwise) and isinstance(then, pa.Array):
        return null_where(then, pc.invert(mask))
    if _is_null(then) and isinstance(otherwise, pa.Array):
        return null_where(otherwise, mask)
    return pc.if_else(mask, then, otherwise)


def coalesce(data: Sequence[Any]) -> Any:
    """The first value that is not null."""
    chosen = []
    for choice in wide.unify(data):
        chosen.append(choice)
        if isinstance(choice, pa.Array) and not choice.null_count:
            break
    if len(chosen) == 1:
        return chosen[0]
    result = pc.coalesce(*chosen)
    return views.full(result, views.row_count(*data))


def null_where(data: Any, mask: Any) -> Any:
    """`data` with null where `mask` is true."""
    if pa.types.is_nested(data.type):
        return pc.if_else(mask, pa.scalar(None, data.type), data)
    # the values are kept, with a new bitmap
    kept = np.zeros(data.offset + len(data), bool)
    kept[data.offset :] = views.values(pc.and_not(pc.is_valid(data), mask))
    bitmap = pa.py_buffer(np.packbits(kept, bitorder="little"))
    buffers = [bitmap, *data.buffers()[1:]]
    return pa.Array.from_buffers(data.type, len(data), buffers, -1, data.offset)


def _is_null(data: Any) -> bool:
    return isinstance(data, pa.Scalar) and not data.is_valid
