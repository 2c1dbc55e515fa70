"""Arrays, maps and structs: splitting, creation, and transfer between host and device.

libcudf has only lists and structs, and no binary: a map becomes a list of structs, binary becomes
string. On the device nested data keep the types of Arrow or Parquet; only the elements that are
extracted get their physical form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pylibcudf as plc
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.interop import ColumnMetadata
from pylibcudf.reduce import ScanType
from pylibcudf.types import NullOrder, Order, TypeId

from broadhead.arrow_layout import arrow_type
from broadhead.errors import EngineLimit
from broadhead.kernels.cudf.parquet_types import from_parquet
from broadhead.kernels.cudf.physical import (
    DECIMAL128,
    INT32,
    INT64,
    binary,
    cast,
    choose,
    constant,
    element,
    null_scalar,
    relabel,
    value_of,
)
from broadhead.kernels.cudf.rows import copied, filter_rows, take_rows, whole
from broadhead.types import (
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.cudf.physical import Column


def from_arrow(array: pa.Array, data_type: DataType) -> Column:
    """A nested host array on the device."""
    layout = arrow_type(data_type)
    try:
        return plc.Column.from_arrow(
            _storage(array if array.type.equals(layout) else array.cast(layout), data_type)
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, TypeError) as error:
        raise EngineLimit(
            f"{array.type} data cannot be read as {data_type.name}: {error}"
        ) from error


def _storage(array: pa.Array, data_type: DataType) -> pa.Array:
    """An array of Spark's layout, with lists of structs for maps and strings for binary."""
    if data_type.is_nested and array.offset:
        array = array.take(pa.array(range(len(array)), pa.int64()))
    if isinstance(data_type, StructType):
        fields = [_storage(array.field(i), f.type) for i, f in enumerate(data_type.fields)]
        struct = pa.struct([pa.field(str(i), field.type) for i, field in enumerate(fields)])
        return pa.Array.from_buffers(struct, len(array), array.buffers()[:1], -1, 0, fields)
    if isinstance(data_type, ArrayType | MapType):
        items = _storage(array.values, _item(data_type))
        return pa.Array.from_buffers(
            pa.list_(items.type), len(array), array.buffers()[:2], -1, 0, [items]
        )
    if data_type.name == "binary":
        return _relabel(array, pa.string())
    return pa.nulls(len(array), pa.bool_()) if data_type.name == "void" else array


def _item(data_type: ArrayType | MapType) -> DataType:
    """The element type of the list that represents an array or a map."""
    if isinstance(data_type, ArrayType):
        return data_type.element
    key = StructField("key", data_type.key, nullable=False)
    return StructType(
        "struct", (key, StructField("value", data_type.value, data_type.value_contains_null))
    )


def _relabel(array: pa.Array, data_type: pa.DataType) -> pa.Array:
    return pa.Array.from_buffers(
        data_type, len(array), array.buffers(), array.null_count, array.offset
    )


def to_arrow(data: Column, data_type: DataType) -> pa.Array:
    """Nested data in the layout of Spark's `ArrowUtils.toArrowSchema`."""
    return _restored(data.to_arrow(_metadata(data_type)), data_type)


def _metadata(data_type: DataType, name: str = "") -> ColumnMetadata:
    if isinstance(data_type, DecimalType):
        return ColumnMetadata(name, precision=data_type.precision)
    if isinstance(data_type, StructType):
        return ColumnMetadata(
            name, children_meta=[_metadata(f.type, f.name) for f in data_type.fields]
        )
    if isinstance(data_type, ArrayType | MapType):
        # on the device the first child of a list are its offsets
        inner = _metadata(_item(data_type), "element")
        return ColumnMetadata(name, children_meta=[ColumnMetadata(), inner])
    return ColumnMetadata(name)


def as_binary(array: pa.Array) -> pa.Array:
    """A string array as binary, with the same memory."""
    return _relabel(array, pa.binary())


def _restored(array: pa.Array, data_type: DataType) -> pa.Array:
    """Data from the device in Spark's layout."""
    target = arrow_type(data_type)
    if isinstance(data_type, StructType):
        fields = [_restored(array.field(i), f.type) for i, f in enumerate(data_type.fields)]
        return pa.Array.from_buffers(target, len(array), array.buffers()[:1], -1, 0, fields)
    if isinstance(data_type, ArrayType | MapType):
        items = _restored(array.values, _item(data_type))
        return pa.Array.from_buffers(target, len(array), array.buffers()[:2], -1, 0, [items])
    if data_type.name == "binary":
        return as_binary(array.cast(pa.string()))
    if data_type.name == "void":
        return pa.nulls(len(array))
    if data_type.name == "timestamp":
        return array.cast(pa.timestamp("us")).view(target)
    return array.cast(target)


def lengths(data: Column) -> Column:
    """Number of elements of each array or entries of each map, int64; 0 for null."""
    counts = cast(plc.lists.count_elements(data), INT64)
    if not counts.null_count():
        return counts
    return plc.replace.replace_nulls(counts, constant(0, INT64))


def elements(data: Column, data_type: ArrayType | MapType) -> list[Column]:
    """The concatenated elements of all rows; keys and values of maps."""
    items = _items(data)
    if isinstance(data_type, ArrayType):
        return [from_parquet(items, data_type.element)]
    return [
        from_parquet(part, of)
        for part, of in zip(_parts(items), (data_type.key, data_type.value), strict=True)
    ]


def fields(data: Column, data_type: StructType) -> list[Column]:
    """Each field of a struct, null where the struct is null."""
    parts = _parts(data)
    if data.null_count():
        # children may be valid where their parent is null
        rows = plc.filling.sequence(data.size(), constant(0, INT64), constant(1, INT64))
        rows = choose(plc.unary.is_valid(data), rows, null_scalar(INT64))
        parts = take_rows(parts, rows)
    return [from_parquet(part, of.type) for part, of in zip(parts, data_type.fields, strict=True)]


def struct(fields: Sequence[Column], data_type: StructType) -> Column:
    """Structs of these fields, none of them null."""
    children = [
        _as_arrow(whole(data), of.type) for data, of in zip(fields, data_type.fields, strict=True)
    ]
    size = children[0].size()
    return plc.Column(plc.DataType(TypeId.STRUCT), size, None, None, 0, 0, children)


def array(offsets: Column, elements: Column, data_type: ArrayType) -> Column:
    """Arrays of the elements from each offset up to the next one, none of them null."""
    items = _as_arrow(whole(elements), data_type.element)
    bounds = cast(whole(offsets), INT32)
    size = bounds.size() - 1
    return plc.Column(plc.DataType(TypeId.LIST), size, None, None, 0, 0, [bounds, items])


def joined(offsets: Column, texts: Column, separator: str) -> Column:
    """The texts from each offset up to the next one, as one string."""
    bounds = cast(whole(offsets), INT32)
    children = [bounds, whole(texts)]
    lists = plc.Column(plc.DataType(TypeId.LIST), bounds.size() - 1, None, None, 0, 0, children)
    text = plc.DataType(TypeId.STRING)
    nothing = constant("", text)
    return plc.strings.combine.join_list_elements(
        lists,
        constant(separator, text),
        nothing,
        nothing,
        plc.strings.combine.SeparatorOnNulls.NO,
        plc.strings.combine.OutputIfEmptyList.EMPTY_STRING,
    )


def _as_arrow(data: Column, data_type: DataType) -> Column:
    """Physical data in the type that they have inside nested data."""
    if isinstance(data_type, DecimalType):
        return relabel(cast(data, DECIMAL128), plc.DataType(TypeId.DECIMAL128, -data_type.scale))
    if data_type.name in {"timestamp", "timestamp_ntz"}:
        return relabel(data, plc.DataType(TypeId.TIMESTAMP_MICROSECONDS))
    return data


def unfold(counts: Column, start: int, length: int) -> tuple[Column, Column]:
    """The source row of each of `length` rows from `start`, and the number within the row."""
    ends = plc.reduce.scan(counts, plc.aggregation.sum(), ScanType.INCLUSIVE)
    positions = plc.filling.sequence(length, constant(start, INT64), constant(1, INT64))
    rows = cast(
        plc.search.upper_bound(
            plc.Table([ends]), plc.Table([positions]), [Order.ASCENDING], [NullOrder.AFTER]
        ),
        INT64,
    )
    starts = binary(ends, BinaryOperator.SUB, counts, INT64)
    (first,) = take_rows([starts], rows)
    return rows, binary(positions, BinaryOperator.SUB, first, INT64)


def _items(data: Column) -> Column:
    """The elements of the rows that are not null."""
    if data.null_count():
        (data,) = filter_rows([data], plc.unary.is_valid(data))
    size = data.size()
    if not size:
        return plc.copying.slice(plc.Table([data.child(1)]), [0, 0])[0].columns()[0]
    offsets = data.child(0)
    low, high = (int(value_of(element(offsets, data.offset() + index))) for index in (0, size))
    return plc.copying.slice(plc.Table([data.child(1)]), [low, high])[0].columns()[0]


def _parts(data: Column) -> list[Column]:
    """The fields of a struct, restricted to its rows."""
    if data.offset() or any(child.size() != data.size() for child in data.children()):
        # a slice of a struct has the children of the whole struct
        data = copied(data)
    return list(data.children())
