"""Messages of Protocol Buffers without their schemas: the numbers and values of their fields.

https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Value: TypeAlias = "int | bytes"
Message: TypeAlias = "dict[int, list[Value]]"
"""The values of each field, by its number; numbers as they are encoded, all else as bytes."""

_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5
_FIXED = {_FIXED_64: 8, _FIXED_32: 4}


def parse(data: bytes) -> Message:
    """The fields of a message. Raises ValueError or IndexError for what is not one."""
    message: Message = {}
    position = 0
    while position < len(data):
        key, position = _varint(data, position)
        number, kind = key >> 3, key & 7
        value: Value
        if kind == _VARINT:
            value, position = _varint(data, position)
        else:
            if kind == _BYTES:
                length, position = _varint(data, position)
            elif kind in _FIXED:
                length = _FIXED[kind]
            else:
                raise ValueError(f"a field of the unknown wire type {kind}")
            value, position = data[position : position + length], position + length
        if position > len(data):
            raise ValueError("a field that ends after its message")
        message.setdefault(number, []).append(value)
    return message


def encode(message: Message) -> bytes:
    """A message whose values are numbers and bytes, without fields of a fixed length."""
    parts = []
    for field, values in message.items():
        for value in values:
            if isinstance(value, bytes):
                parts += [_encoded_varint(field << 3 | _BYTES), _encoded_varint(len(value)), value]
            else:
                parts += [_encoded_varint(field << 3 | _VARINT), _encoded_varint(value)]
    return b"".join(parts)


def number(message: Message, field: int, default: int = 0) -> int:
    """The value of a number that occurs at most once. Raises ValueError for bytes."""
    value = message.get(field, [default])[-1]
    if isinstance(value, bytes):
        raise ValueError(f"field {field} is not a number")  # noqa: TRY004 - the file is wrong
    return value


def numbers(message: Message, field: int) -> list[int]:
    """The values of a repeated number, packed or not."""
    found: list[int] = []
    for value in message.get(field, []):
        found.extend(_packed(value) if isinstance(value, bytes) else [value])
    return found


def texts(message: Message, field: int) -> list[bytes]:
    """The values of a field of bytes, texts or messages. Raises ValueError for numbers."""
    found = []
    for value in message.get(field, []):
        if not isinstance(value, bytes):
            raise ValueError(f"field {field} is a number")  # noqa: TRY004 - the file is wrong
        found.append(value)
    return found


def _packed(data: bytes) -> Iterator[int]:
    position = 0
    while position < len(data):
        value, position = _varint(data, position)
        yield value


def _encoded_varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """A number, and the position after it."""
    value = shift = 0
    while (byte := data[position]) & 128:
        value |= (byte & 127) << shift
        shift += 7
        position += 1
    return value | byte << shift, position + 1
