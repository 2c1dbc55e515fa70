"""Columns on a GPU as the pandas objects of user functions, and results as columns again.

The objects are proxies of cudf.pandas around cuDF's own, made without a copy. Nulls become what
Spark's conversion to pandas makes of them: NaN for numbers, with integers as doubles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cudf
import pylibcudf as plc
from cudf.pandas import as_proxy_object

from broadhead.columns import Batch, Column
from broadhead.kernels.cudf.physical import FLOAT64, FLOATS, cast, constant, device_type
from broadhead.types import StructType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.operators.user_functions import DeviceRows
    from broadhead.types import DataType

NAN = float("nan")


def fits(rows: DeviceRows) -> bool:
    """Whether pandas keeps all columns in types that cuDF has; booleans with nulls are objects."""
    return not any(
        column.type.name == "boolean" and column.data.null_count() for column in rows.rows.columns
    )


def series_of(rows: DeviceRows) -> list[Any]:
    """A Series for each column."""
    return [
        as_proxy_object(cudf.Series.from_pylibcudf(_with_nan(column), {"name": name}))
        for column, name in zip(rows.rows.columns, rows.names, strict=True)
    ]


def frame_of(rows: DeviceRows) -> Any:
    """One DataFrame of all columns."""
    table = plc.Table([_with_nan(column) for column in rows.rows.columns])
    frame = cudf.DataFrame.from_pylibcudf(table, {"columns": list(rows.names)})
    return as_proxy_object(frame)


def _with_nan(column: Column) -> plc.Column:
    data = column.data
    if column.type.name == "string":
        # cuDF takes whole buffers: a group's rows are a part of those of its batch
        return data.copy() if data.offset() or _is_part(data) else data
    if not data.null_count():
        return data
    if data.type().id() not in FLOATS:
        data = cast(data, FLOAT64)
    return plc.replace.replace_nulls(data, constant(NAN, data.type()))


def _is_part(strings: plc.Column) -> bool:
    return bool(strings.size()) and strings.child(0).size() != strings.size() + 1


def batch_of(found: Sequence[tuple[Any, Any]], types: Sequence[DataType]) -> Batch | None:
    """The columns of Series, or of a DataFrame; None unless all are on the GPU in their types.

    Each item of `found` is an object that a function has returned and its Arrow type.
    """
    objects = [_on_gpu(item[0]) for item in found]
    if len(objects) == 1 and isinstance(objects[0], cudf.DataFrame):
        objects = _fields(objects[0], found[0][1])
    if len(objects) != len(types):
        return None
    columns = []
    for each, data_type in zip(objects, types, strict=True):
        data = _column(each, data_type)
        if data is None:
            return None
        columns.append(Column(data, data_type))
    return Batch(tuple(columns), int(columns[0].data.size()) if columns else 0)


def _fields(frame: cudf.DataFrame, struct: Any) -> list[Any]:
    """The columns of a DataFrame for the fields of a struct, by name if any label is a text."""
    labels = list(frame.columns)
    if any(isinstance(label, str) for label in labels):
        names = [struct.field(number).name for number in range(struct.num_fields)]
        return [frame[name] if labels.count(name) == 1 else None for name in names]
    return [frame.iloc[:, number] for number in range(min(len(labels), struct.num_fields))]


def _on_gpu(found: Any) -> Any:
    """CuDF's object inside a proxy; other objects as they are."""
    return getattr(found, "_fsproxy_wrapped", found)


def _column(found: Any, data_type: DataType) -> plc.Column | None:
    """The data of a Series that Arrow would not change, but for NaN, which are nulls.

    Integers of 64 bits are left to PySpark, which may check that doubles hold them.
    """
    if not isinstance(found, cudf.Series) or isinstance(data_type, StructType):
        return None
    data, _ = found.to_pylibcudf()
    target = device_type(data_type)
    widened = data_type.name == "double" and found.dtype.kind == "i" and found.dtype.itemsize < 8
    if data.type() != target and not widened:
        return None
    if widened:
        data = cast(data, target)
    if data.type().id() in FLOATS:
        mask, nulls = plc.transform.nans_to_nulls(data)
        data = data.with_mask(mask, nulls)
    return data


def on_host(found: Any) -> Any:
    """The object of a result, copied from the GPU if it is there."""
    from broadhead.worker.user_functions.fallbacks import FOUND

    copy = getattr(found, "as_cpu_object", None)
    if copy is not None:
        return copy()
    if isinstance(found, cudf.Series | cudf.DataFrame):
        FOUND.bytes_copied += memory_of(found)
        return found.to_pandas()
    return found


def memory_of(found: Any) -> int:
    """The memory of a Series or DataFrame in bytes."""
    used = found.memory_usage(index=False)
    return int(used if isinstance(used, int) else used.sum())
