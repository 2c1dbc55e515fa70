"""Encoding of columns as the buffers of shuffle blocks; see docs/wire-format.md, section 4.

Integers are stored as differences from the least of them, in as few bytes as possible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.kernels.arrow.arrays.layout import UNSCALED, physical_type
from broadhead.kernels.arrow.decimals import wide
from broadhead.packed import LIMITS, SIGNED, UNSIGNED, PackedIntegers, pack, unpacked
from broadhead.shuffle.buffers import BlockBuffer, DamagedBlock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.packed import HostArray
    from broadhead.shuffle.buffers import BufferReader
    from broadhead.types import DataType

_OFFSET = SIGNED[4]
_WIDE_BYTES = 16
_LARGEST_OFFSET = 0x7FFFFFFF


def buffer_count(data_type: DataType) -> int:
    """Buffers of a column: one message; validity and values; or validity, lengths and bytes."""
    return 1 if data_type.is_nested else 3 if is_text(data_type) else 2


def is_text(data_type: DataType) -> bool:
    """True for strings and binaries."""
    return data_type.name in {"string", "binary"}


def column_buffers(chunks: Sequence[HostArray]) -> list[BlockBuffer]:
    """The buffers of a column of physical data in one or more arrays, none of them empty."""
    buffer = _packed_again(chunks)
    if buffer is not None:
        return [BlockBuffer(b"", 0, 1), buffer]
    chunks = list(map(unpacked, chunks))
    if len(chunks) > 1:
        numbers = _integers(chunks)
        if numbers is not None:
            return [BlockBuffer(b"", 0, 1), _packed(numbers)]
        chunks = [pa.concat_arrays(wide.unify(chunks))]
    (array,) = chunks
    data_type = array.type
    if pa.types.is_nested(data_type):
        message = pa.RecordBatch.from_arrays([array], names=["c"]).serialize()
        return [BlockBuffer(message, number=message.size)]
    validity = _validity(array)
    if pa.types.is_string(data_type) or pa.types.is_binary(data_type):
        return [validity, *_text_buffers(array)]
    return [
        validity,
        _boolean_buffer(array) if pa.types.is_boolean(data_type) else _fixed_buffer(array),
    ]


def _packed_again(chunks: Sequence[HostArray]) -> BlockBuffer | None:
    """The concatenated values if all chunks are packed and without nulls."""
    packed = [chunk for chunk in chunks if isinstance(chunk, PackedIntegers)]
    if len(packed) < len(chunks) or any(chunk.null_count for chunk in packed):
        return None
    found = pack(packed)
    if found is None or found[0].itemsize * 8 >= packed[0].type.bit_width:
        return None
    numbers, least = found
    if numbers.itemsize == 1 and not numbers.any():
        return BlockBuffer(b"", 0, least)
    return BlockBuffer(_bytes(numbers), numbers.itemsize, least)


def _integers(chunks: Sequence[pa.Array]) -> list[Any] | None:
    """The values if they are integers of one width without nulls: those need no copy."""
    data_type = chunks[0].type
    if not _is_integer(data_type):
        return None
    if any(chunk.type != data_type or chunk.null_count for chunk in chunks):
        return None
    return [_numbers(chunk) for chunk in chunks]


def _is_integer(data_type: pa.DataType) -> bool:
    return bool(pa.types.is_integer(data_type) or pa.types.is_date(data_type))


def _numbers(array: pa.Array) -> Any:
    """The values, or their bits, as signed integers of the same width."""
    width = array.type.bit_width // 8
    return np.frombuffer(array.buffers()[1], SIGNED[width], len(array), array.offset * width)


def _validity(array: pa.Array) -> BlockBuffer:
    if not array.null_count:
        return BlockBuffer(b"", 0, 1)
    if array.null_count == len(array):
        return BlockBuffer(b"", 0, 0)
    return BlockBuffer(_bits(array.buffers()[0], array))


def _boolean_buffer(array: pa.Array) -> BlockBuffer:
    true = array.true_count
    if true == 0 or true == len(array) - array.null_count:
        return BlockBuffer(b"", 0, int(true > 0))
    return BlockBuffer(_bits(array.buffers()[1], array))


def _fixed_buffer(array: pa.Array) -> BlockBuffer:
    if array.type.bit_width == 8 * _WIDE_BYTES:
        start, size = array.offset * _WIDE_BYTES, len(array) * _WIDE_BYTES
        return BlockBuffer(array.buffers()[1].slice(start, size), _WIDE_BYTES)
    numbers = _numbers(array)
    if pa.types.is_floating(array.type) and not _is_constant(numbers):
        return BlockBuffer(_bytes(numbers), numbers.itemsize)
    if array.null_count:
        numbers = _without_garbage(numbers, array)
    return _packed([numbers])


def _bits(bitmap: pa.Buffer, array: pa.Array) -> Any:
    """The array's bits of a bitmap, starting at bit 0."""
    start, length = array.offset, len(array)
    if start % 8 == 0:
        return bitmap.slice(start // 8, -(-length // 8))
    return np.packbits(_unpacked_bits(bitmap, array), bitorder="little")


def _unpacked_bits(bitmap: pa.Buffer, array: pa.Array) -> Any:
    """The array's bits of a bitmap, one byte each."""
    first, skipped = divmod(array.offset, 8)
    packed = np.frombuffer(bitmap, np.uint8, offset=first)
    return np.unpackbits(packed, count=skipped + len(array), bitorder="little")[skipped:]


def _without_garbage(numbers: Any, array: pa.Array) -> Any:
    """The same numbers, with nulls replaced by a valid number if there is one."""
    if array.null_count == len(array):
        return np.zeros_like(numbers)
    valid = _unpacked_bits(array.buffers()[0], array)
    kept = numbers[valid.argmax()]
    # three times as fast as numpy.where
    changed = numbers ^ kept
    changed &= -valid.view(np.int8)
    changed ^= kept
    return changed


def _is_constant(numbers: Any) -> bool:
    return bool(numbers[0] == numbers[-1] and (numbers == numbers[0]).all())


def _packed(chunks: Sequence[Any]) -> BlockBuffer:
    """Integers of one width, chunk after chunk, as differences from the least of them."""
    own = chunks[0].dtype
    least = min(int(numbers.min()) for numbers in chunks)
    most = max(int(numbers.max()) for numbers in chunks)
    if least == most:
        return BlockBuffer(b"", 0, least)
    for width, limit in LIMITS:
        if width < own.itemsize and most - least <= limit:
            return BlockBuffer(
                _bytes(_above(chunks, own.type(least), UNSIGNED[width])), width, least
            )
    return BlockBuffer(
        _bytes(np.concatenate(chunks) if len(chunks) > 1 else chunks[0]), own.itemsize
    )


def _above(chunks: Sequence[Any], least: Any, narrow: Any) -> Any:
    packed = np.empty(sum(map(len, chunks)), narrow)
    start = 0
    for numbers in chunks:
        end = start + len(numbers)
        np.subtract(numbers, least, out=packed[start:end], casting="unsafe")
        start = end
    return packed


def _bytes(numbers: Any) -> Any:
    return numbers.view(np.uint8)


def _text_buffers(array: pa.Array) -> list[BlockBuffer]:
    """Lengths, and all bytes."""
    _, offset_buffer, content = array.buffers()
    offsets = np.frombuffer(offset_buffer, _OFFSET, len(array) + 1, array.offset * 4)
    start, size = int(offsets[0]), int(offsets[-1] - offsets[0])
    data = content.slice(start, size) if size else b""
    return [_packed([offsets[1:] - offsets[:-1]]), BlockBuffer(data, number=size)]


def decode_column(
    reader: BufferReader, data_type: DataType, length: int, *, keep_packed: bool = False
) -> HostArray:
    """The next column as physical data. Raises DamagedBlock if the bytes are inconsistent.

    `keep_packed`: packed integers stay packed.
    """
    if data_type.is_nested:
        return _nested(reader.data(reader.next()[1]), data_type, length)
    validity = _decode_bits(reader, length)
    layout = physical_type(data_type)
    if is_text(data_type):
        buffers = _decode_text(reader, length)
    elif pa.types.is_boolean(layout):
        buffers = [_decode_bits(reader, length) or _ones(length)]
    else:
        width, number = reader.next()
        if data_type.is_decimal and width == _WIDE_BYTES:
            layout = UNSCALED
        own = layout.bit_width // 8
        if keep_packed and width < own and own > 1 and _is_integer(layout):
            return _decode_kept(reader, width, number, layout, length, validity)
        buffers = [_decode_fixed(reader, width, number, own, length)]
    null_count = 0 if validity is None else -1
    return pa.Array.from_buffers(layout, length, [validity, *buffers], null_count)


def _nested(message: pa.Buffer, data_type: DataType, length: int) -> pa.Array:
    schema = pa.schema([pa.field("c", arrow_type(data_type))])
    try:
        array = pa.ipc.read_record_batch(message, schema).column(0)
    except (OSError, pa.ArrowException) as error:
        raise DamagedBlock(f"a nested column cannot be read: {error}") from error
    if len(array) != length:
        raise DamagedBlock(f"a nested column has {len(array)} rows instead of {length}")
    return array


def _decode_bits(reader: BufferReader, length: int) -> pa.Buffer | None:
    """A bitmap, or None if all bits are set."""
    width, number = reader.next()
    if width:
        return reader.data(-(-length // 8))
    return None if number else pa.py_buffer(bytes(-(-length // 8)))


def _ones(length: int) -> pa.Buffer:
    return pa.py_buffer(b"\xff" * -(-length // 8))


def _decode_fixed(reader: BufferReader, width: int, least: int, own: int, length: int) -> pa.Buffer:
    """Values of `own` bytes."""
    if width == own:
        return reader.data(length * own)
    if own not in SIGNED:
        raise DamagedBlock(f"it has values of {width} bytes instead of {own}")
    return pa.py_buffer(_decode_packed(reader, width, least, SIGNED[own], length))


def _decode_kept(
    reader: BufferReader, width: int, least: int, layout: pa.DataType, length: int, validity: Any
) -> PackedIntegers:
    """Unchanged packed values."""
    _check_packed(width, least, SIGNED[layout.bit_width // 8])
    narrow = pa.from_numpy_dtype(UNSIGNED[width or 1])
    data = reader.data(length * width) if width else pa.py_buffer(bytes(length))
    return PackedIntegers(pa.Array.from_buffers(narrow, length, [validity, data]), least, layout)


def _decode_packed(reader: BufferReader, width: int, least: int, own: Any, length: int) -> Any:
    """Integers of the type `own`, stored in fewer bytes."""
    _check_packed(width, least, own)
    if width == 0:
        return np.full(length, least, own)
    packed = np.frombuffer(reader.data(length * width), UNSIGNED[width])
    return np.add(packed, own.type(least), dtype=own)


def _check_packed(width: int, least: int, own: Any) -> None:
    limit = 1 << 8 * own.itemsize - 1
    if width >= own.itemsize or width not in (0, *UNSIGNED) or not -limit <= least < limit:
        raise DamagedBlock(f"it has values of {width} bytes from {least} on")


def _decode_text(reader: BufferReader, length: int) -> list[pa.Buffer]:
    """Offsets, and bytes."""
    width, least = reader.next()
    if width == _OFFSET.itemsize:
        lengths = np.frombuffer(reader.data(length * width), _OFFSET)
    else:
        lengths = _decode_packed(reader, width, least, _OFFSET, length)
    offsets = np.zeros(length + 1, _OFFSET)
    np.add.accumulate(lengths, out=offsets[1:])
    size = reader.next()[1]
    total = offsets[-1]
    if length * (least + (1 << 8 * width)) > _LARGEST_OFFSET or least < 0:
        # the sum may have wrapped around
        total = -1 if lengths.min() < 0 else lengths.sum(dtype=np.int64)
    if total != size or size > _LARGEST_OFFSET:
        raise DamagedBlock(f"its texts have {total} bytes instead of {size}")
    return [pa.py_buffer(offsets), reader.data(size)]
