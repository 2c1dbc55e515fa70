"""Values of JSON fields, as Spark's parser converts them.

Values for which Arrow's parser may give another one are unparsed: Spark's parser reads their lines.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.arrow_layout import arrow_type
from broadhead.operators.scan.text.conversions import convert
from broadhead.types import ArrayType, DecimalType, StructType

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run
    from broadhead.operators.scan.text.line_columns import TimeFormats
    from broadhead.types import DataType

_FLOATING = ("float", "double")
_TEXTS = ("date", "timestamp", "timestamp_ntz")
_SIGN = np.uint64(1 << 63)
_BELOW_FLOATS = np.uint64((1 << 29) - 1)
"""The digits of a double that a float does not have."""
_TIE = np.uint64(1 << 28)
_SMALLEST_FLOAT = float(np.finfo(np.float32).tiny)
_LARGEST_FLOAT = float(np.finfo(np.float32).max)


def stored_type(data_type: DataType) -> pa.DataType:
    """The type as which Arrow's parser reads fields of a column."""
    match data_type:
        case ArrayType(element=element):
            return pa.list_(stored_type(element))
        case StructType(fields=fields):
            return pa.struct([(field.name, stored_type(field.type)) for field in fields])
    if data_type.name in _FLOATING:
        return pa.float64()
    return pa.string() if data_type.name in _TEXTS else arrow_type(data_type)


def value(
    data: pa.Array, data_type: DataType, formats: TimeFormats, run: Run
) -> tuple[Array, Any | None]:
    """The values of a column, and a mask of the unparsed ones; None for no such value."""
    if isinstance(data_type, ArrayType | StructType):
        found, unparsed = _nested(data, data_type, formats, run)
        return run.kernels.columns.from_arrow(found, data_type), unparsed
    from_arrow = run.kernels.columns.from_arrow
    if data_type.name in _TEXTS:
        found, unparsed = convert(data, data_type, formats, run)
        empty = np.asarray(pc.fill_null(pc.equal(data, ""), fill_value=False))
        return found, empty if unparsed is None else unparsed | empty
    if data_type.name in _FLOATING:
        unparsed = _unparsed_doubles(data, as_floats=data_type.name == "float")
        return from_arrow(data.cast(arrow_type(data_type)), data_type), unparsed
    if isinstance(data_type, DecimalType):
        return from_arrow(data, data_type), _too_large(data, data_type)
    return from_arrow(data, data_type), None


def _nested(
    data: pa.Array, data_type: DataType, formats: TimeFormats, run: Run
) -> tuple[pa.Array, Any | None]:
    """As `value`, on the host: a row is unparsed if a value in it is."""
    if not len(data):
        return pa.array([], arrow_type(data_type)), None
    match data_type:
        case ArrayType(element=element):
            values, unparsed = _nested(data.values, element, formats, run)
            found = pa.Array.from_buffers(
                arrow_type(data_type), len(data), data.buffers()[:2], data.null_count, 0, [values]
            )
            offsets = np.asarray(data.offsets)
            return found, None if unparsed is None else _in_lists(unparsed, offsets)
        case StructType(fields=fields):
            parts = [
                _nested(child, field.type, formats, run)
                for child, field in zip(data.flatten(), fields, strict=True)
            ]
            masks = [unparsed for _, unparsed in parts if unparsed is not None]
            children = [values for values, _ in parts]
            found = pa.Array.from_buffers(
                arrow_type(data_type), len(data), data.buffers()[:1], data.null_count, 0, children
            )
            return found, np.logical_or.reduce(masks) if masks else None
    values, unparsed = value(data, data_type, formats, run)
    return run.kernels.columns.to_arrow(values, data_type), unparsed


def _in_lists(mask: Any, offsets: Any) -> Any:
    """Mask of the lists with an element of the mask."""
    before = np.concatenate([[0], np.cumsum(mask)])
    return before[offsets[1:]] > before[offsets[:-1]]


def _unparsed_doubles(data: pa.Array, *, as_floats: bool) -> Any:
    """Mask of -0.0, which the integer -0 is not, of infinity, and of values to be rounded twice."""
    doubles = np.asarray(data.fill_null(0))
    bits = doubles.view(np.uint64)
    unparsed = (bits == _SIGN) | ~np.isfinite(doubles)
    if as_floats:
        size = np.abs(doubles)
        unparsed |= (bits & _BELOW_FLOATS) == _TIE
        unparsed |= ((size < _SMALLEST_FLOAT) & (size != 0)) | (size > _LARGEST_FLOAT)
    return unparsed


def _too_large(data: pa.Array, data_type: DecimalType) -> Any:
    """Mask of the values with too many digits, which Arrow's parser does not check."""
    limit = Decimal((0, (9,) * data_type.precision, -data_type.scale))
    beyond = pc.greater(pc.abs(data), pa.scalar(limit, data.type))
    return np.asarray(pc.fill_null(beyond, fill_value=False))
