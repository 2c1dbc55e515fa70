"""Columns as the buffers of shuffle blocks, and back; see docs/wire-format.md, section 4.

Integers are kept as what they are above the least of them, in as few bytes as that takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow.layout import UNSCALED, outside_type, physical_type
from broadhead.shuffle.buffers import DamagedBlock, Part

if TYPE_CHECKING:
    from broadhead.shuffle.buffers import Entry, Parts
    from broadhead.types import DataType

_NARROW = ((1, 0xFF), (2, 0xFFFF), (4, 0xFFFFFFFF))
"""Bytes of a value, and the largest that they hold."""
_UNSIGNED = {1: np.dtype(np.uint8), 2: np.dtype(np.uint16), 4: np.dtype(np.uint32)}
_SIGNED = {
    1: np.dtype(np.int8),
    2: np.dtype(np.int16),
    4: np.dtype(np.int32),
    8: np.dtype(np.int64),
}
_OFFSET = _SIGNED[4]
_WIDE_BYTES = 16
_LARGEST_OFFSET = 0x7FFFFFFF


def is_text(type_: DataType) -> bool:
    """True for strings and binaries."""
    return type_.name in {"string", "binary"}


def part_count(type_: DataType) -> int:
    """Buffers of a column: one message; validity and values; or validity, lengths and bytes."""
    return 1 if type_.is_nested else 3 if is_text(type_) else 2


def column_parts(array: pa.Array) -> list[Part]:
    """The buffers of a column of physical data, which is not empty."""
    if pa.types.is_nested(array.type):
        message = pa.RecordBatch.from_arrays([array], names=["c"]).serialize()
        return [Part(message, number=message.size)]
    validity = _validity(array)
    if pa.types.is_string(array.type) or pa.types.is_binary(array.type):
        return [validity, *_text_parts(array)]
    if pa.types.is_boolean(array.type):
        return [validity, _boolean_part(array)]
    values = array.buffers()[1]
    width = array.type.bit_width // 8
    if width == _WIDE_BYTES:
        return [validity, Part(values.slice(array.offset * width, len(array) * width), width)]
    numbers = np.frombuffer(values, _SIGNED[width], len(array), array.offset * width)
    if pa.types.is_floating(array.type):
        return [validity, _packed(numbers) if _is_constant(numbers) else Part(_bytes(numbers), width)]
    if array.null_count:
        numbers = _without_garbage(numbers, array)
    return [validity, _packed(numbers)]


def _validity(array: pa.Array) -> Part:
    if not array.null_count:
        return Part(b"", 0, 1)
    if array.null_count == len(array):
        return Part(b"", 0, 0)
    return Part(_bits(array.buffers()[0], array))


def _boolean_part(array: pa.Array) -> Part:
    true = array.true_count
    if true == 0 or true == len(array) - array.null_count:
        return Part(b"", 0, int(true > 0))
    return Part(_bits(array.buffers()[1], array))


def _bits(bitmap: pa.Buffer, array: pa.Array) -> Any:
    """The array's bits of a bitmap, from the first on."""
    start, length = array.offset, len(array)
    if start % 8 == 0:
        return bitmap.slice(start // 8, -(-length // 8))
    return np.packbits(_unpacked(bitmap, array), bitorder="little")


def _unpacked(bitmap: pa.Buffer, array: pa.Array) -> Any:
    """The array's bits of a bitmap, a byte each."""
    first, skipped = divmod(array.offset, 8)
    bits = np.unpackbits(
        np.frombuffer(bitmap, np.uint8, offset=first),
        count=skipped + len(array),
        bitorder="little",
    )
    return bits[skipped:]


def _without_garbage(numbers: Any, array: pa.Array) -> Any:
    """The same numbers with one of those that are not null in the place of the nulls."""
    valid = _unpacked(array.buffers()[0], array)
    kept = numbers[valid.argmax()] if valid.any() else numbers.dtype.type(0)
    # several times as fast as numpy.where
    changed = numbers ^ kept
    changed &= -valid.view(np.int8)
    changed ^= kept
    return changed


def _is_constant(numbers: Any) -> bool:
    return bool(numbers[0] == numbers[-1] and (numbers == numbers[0]).all())


def _packed(numbers: Any) -> Part:
    """Numbers of any width above their least."""
    least, most = int(numbers.min()), int(numbers.max())
    if least == most:
        return Part(b"", 0, least)
    span = most - least
    for width, limit in _NARROW:
        if span <= limit and width < numbers.itemsize:
            packed = np.empty(len(numbers), _UNSIGNED[width])
            np.subtract(numbers, numbers.dtype.type(least), out=packed, casting="unsafe")
            return Part(_bytes(packed), width, least)
    return Part(_bytes(numbers), numbers.itemsize)


def _bytes(numbers: Any) -> Any:
    return numbers.view(np.uint8)


def _text_parts(array: pa.Array) -> list[Part]:
    """Lengths, and all bytes."""
    _, offset_buffer, content = array.buffers()
    offsets = np.frombuffer(offset_buffer, _OFFSET, len(array) + 1, array.offset * 4)
    start, size = int(offsets[0]), int(offsets[-1] - offsets[0])
    data = content.slice(start, size) if size else b""
    return [_packed(offsets[1:] - offsets[:-1]), Part(data, number=size)]


def decode_column(parts: Parts, type_: DataType, length: int) -> pa.Array:
    """The next column as physical data. Raises DamagedBlock where the bytes do not fit."""
    if type_.is_nested:
        return _nested(parts.data(parts.next().number), type_)
    validity = _decode_bits(parts, length)
    null_count = 0 if validity is None else -1
    layout = physical_type(type_)
    if is_text(type_):
        buffers = [validity, *_decode_text(parts, length)]
    elif pa.types.is_boolean(layout):
        buffers = [validity, _decode_bits(parts, length) or _ones(length)]
    else:
        entry = parts.next()
        if type_.is_decimal and entry.width == _WIDE_BYTES:
            layout = UNSCALED
        buffers = [validity, _decode_numbers(parts, entry, layout.bit_width // 8, length)]
    return pa.Array.from_buffers(layout, length, buffers, null_count)


def _nested(message: pa.Buffer, type_: DataType) -> pa.Array:
    schema = pa.schema([pa.field("c", outside_type(type_))])
    try:
        return pa.ipc.read_record_batch(message, schema).column(0)
    except (OSError, pa.ArrowException) as error:
        raise DamagedBlock(f"a nested column cannot be read: {error}") from error


def _decode_bits(parts: Parts, length: int) -> pa.Buffer | None:
    """A bitmap, None where all bits are set."""
    entry = parts.next()
    if entry.width:
        return parts.data(-(-length // 8))
    return None if entry.number else pa.py_buffer(bytes(-(-length // 8)))


def _ones(length: int) -> pa.Buffer:
    return pa.py_buffer(b"\xff" * -(-length // 8))


def _decode_numbers(parts: Parts, entry: Entry, own: int, length: int) -> pa.Buffer:
    """Numbers of `own` bytes."""
    if entry.width == own:
        return parts.data(length * own)
    return pa.py_buffer(_unpacked_numbers(parts, entry, _SIGNED[own], length))


def _unpacked_numbers(parts: Parts, entry: Entry, own: Any, length: int) -> Any:
    limits = np.iinfo(own)
    if entry.width >= own.itemsize or not limits.min <= entry.number <= limits.max:
        raise DamagedBlock(f"it has values of {entry.width} bytes from {entry.number} on")
    if entry.width == 0:
        return np.full(length, entry.number, own)
    narrow = _UNSIGNED.get(entry.width)
    if narrow is None:
        raise DamagedBlock(f"it has values of {entry.width} bytes")
    packed = np.frombuffer(parts.data(length * entry.width), narrow)
    return np.add(packed, own.type(entry.number), dtype=own)


def _decode_text(parts: Parts, length: int) -> tuple[pa.Buffer, pa.Buffer]:
    """Offsets, and bytes."""
    entry = parts.next()
    offsets = np.zeros(length + 1, _OFFSET)
    lengths = offsets[1:]
    if entry.width == _OFFSET.itemsize:
        lengths[:] = np.frombuffer(parts.data(length * entry.width), _OFFSET)
    else:
        lengths[:] = _unpacked_numbers(parts, entry, _OFFSET, length)
    size = parts.next().number
    # 64 bits, since a sum of 32 would come round
    if lengths.min() < 0 or lengths.sum(dtype=np.int64) != size or size > _LARGEST_OFFSET:
        raise DamagedBlock(f"its texts do not have {size} bytes")
    np.cumsum(lengths, out=lengths)
    return pa.py_buffer(offsets), parts.data(size)
