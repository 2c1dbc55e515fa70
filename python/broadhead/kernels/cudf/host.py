"""Computation on the host, for rare cases without a kernel on the device.

`on_host` copies physical data to the host, calls the arrow kernel of the same name and copies the
result back, so that both kernels have the same semantics by construction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pylibcudf as plc
from pylibcudf import TypeId
from pylibcudf.interop import ColumnMetadata

from broadhead.errors import EngineLimit
from broadhead.kernels.cudf import transfer
from broadhead.kernels.cudf.physical import Column, any_true, choose, expand, is_scalar
from broadhead.kernels.cudf.rows import filter_rows, spread_rows

if TYPE_CHECKING:
    from collections.abc import Callable


def to_host(data: Column) -> pa.Array:
    """Physical data of the arrow kernels; binary becomes string."""
    array = transfer.copied(data)
    if array is not None:
        return array
    if data.type().id() == TypeId.DECIMAL128:
        return data.to_arrow(ColumnMetadata(precision=38))
    array = data.to_arrow()
    if not pa.types.is_large_string(array.type):
        return array
    try:
        return array.cast(pa.string())
    except pa.ArrowInvalid as error:
        raise EngineLimit(
            f"the strings of {data.size()} rows take more than 2 GiB in one batch"
        ) from error


def from_host(array: pa.Array) -> Column:
    """Physical data of the arrow kernels, copied to the device; binary becomes string."""
    if pa.types.is_binary(array.type):
        array = pa.Array.from_buffers(
            pa.string(), len(array), array.buffers(), array.null_count, array.offset
        )
    if pa.types.is_boolean(array.type) and array.offset % 8:
        # libcudf copies whole bytes of such bits, one more than it has allocated (seen with 26.10);
        # two concatenated chunks start at a byte
        array = pa.concat_arrays([array.slice(0, 1), array.slice(1)])
    return plc.Column.from_arrow(array)


def _off(data: Any) -> Any:
    if is_scalar(data):
        return to_host(expand(data, 1))[0]
    return to_host(data) if isinstance(data, plc.Column) else data


def _on(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(map(_on, result))
    return from_host(result) if isinstance(result, pa.Array) else result


def on_host(function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of the arrow kernel `function` for these arguments, on the device."""
    return _on(function(*map(_off, arguments)))


def on_host_checked(function: Callable[..., Any], *arguments: Any) -> tuple[Column, Column | None]:
    """The same for a function with a checked result."""
    result, mask = on_host(function, *arguments)
    return result, mask


def on_host_where(
    function: Callable[..., Any], mask: Column, data: Column, otherwise: Column
) -> Column:
    """The arrow kernel's result where `mask` is true, `otherwise` elsewhere."""
    if not any_true(mask):
        return otherwise
    (rows,) = filter_rows([data], mask)
    return choose(mask, spread_rows(on_host(function, rows), mask), otherwise)
