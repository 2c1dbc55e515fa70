"""Arrays of the Python forms of literals, in the layout that nested data have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.kernels.arrow.arrays import convert
from broadhead.kernels.arrow.arrays.layout import UNSCALED, physical_type
from broadhead.types import ArrayType, DataType, StructType

if TYPE_CHECKING:
    from collections.abc import Sequence


def column(values: Sequence[Any], data_type: DataType) -> Any:
    """The values in the layout of Spark's `ArrowUtils.toArrowSchema`."""
    if isinstance(data_type, ArrayType):
        offsets = np.zeros(len(values) + 1, np.int32)
        np.cumsum([len(value or ()) for value in values], out=offsets[1:])
        items = column([item for value in values for item in value or ()], data_type.element)
        return pa.ListArray.from_arrays(
            pa.array(offsets), items, type=arrow_type(data_type), mask=_missing(values)
        )
    if isinstance(data_type, StructType):
        fields = [
            column([None if value is None else value[number] for value in values], field.type)
            for number, field in enumerate(data_type.fields)
        ]
        missing = _missing(values)
        if not fields:
            return pa.array([None if value is None else {} for value in values], pa.struct([]))
        return pa.StructArray.from_arrays(fields, fields=list(arrow_type(data_type)), mask=missing)
    if data_type.name == "date":
        return pa.array(values, pa.int32()).view(pa.date32())
    physical = UNSCALED if data_type.is_decimal else physical_type(data_type)
    return convert.to_outside(pa.array(values, physical), data_type)


def _missing(values: Sequence[Any]) -> Any:
    return pa.array([value is None for value in values], pa.bool_())
