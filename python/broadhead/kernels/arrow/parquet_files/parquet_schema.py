"""Footers of Parquet files in which decimals stored as integers are plain integers.

A footer is a `FileMetaData` of the format's Thrift definition, in Thrift's compact protocol:
https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MAGIC = b"PAR1"
_LENGTH_BYTES = 4

# types of the compact protocol that occur in schemas
_STOP = 0
_BOOLEANS = {1, 2}
_BYTE = 3
_VARINTS = {4, 5, 6}
_BINARY = 8
_STRUCT = 12
_LONG_LIST = 15

# field numbers of the format's definition
_SCHEMA = 2
"""`FileMetaData.schema`: the elements of the tree, parents before their children."""
_PHYSICAL, _REPETITION, _CHILDREN, _CONVERTED, _SCALE, _PRECISION, _LOGICAL = 1, 3, 5, 6, 7, 8, 10
_ANNOTATION = {_CONVERTED, _SCALE, _PRECISION, _LOGICAL}
_INT32, _INT64 = 1, 2
_REPEATED = 2
_CONVERTED_DECIMAL = 5
_LOGICAL_DECIMAL = 5


def without_decimals(encoded: bytes) -> pq.FileMetaData:
    """An encoded footer, with its top-level integer-backed decimals declared as integers.

    pyarrow converts such decimals to 128-bit numbers and has no option to prevent it; integers stay
    unchanged. Raises ValueError, IndexError or OSError for an unexpected footer.
    """
    footer = _rewritten(encoded)
    length = len(footer).to_bytes(_LENGTH_BYTES, "little")
    return pq.read_metadata(pa.BufferReader(_MAGIC + footer + length + _MAGIC))


def _rewritten(footer: bytes) -> bytes:
    """The same footer with another schema; the bytes after the schema are copied."""
    reader = _Reader(footer)
    number, type = reader.field(0)
    while number != _SCHEMA:
        reader.skip(type)
        number, type = reader.field(number)
    count = reader.list_length()
    start = reader.position
    elements = [_Element(reader.struct()) for _ in range(count)]
    for element in _top_level(elements):
        if element.is_integer_decimal():
            element.drop_annotation()
    schema = b"".join(element.encoded() for element in elements)
    return footer[:start] + schema + footer[reader.position :]


def _top_level(elements: Sequence[_Element]) -> Iterator[_Element]:
    """The children of the root, which is the first element."""
    descendants = 0
    for element in elements[1:]:
        if descendants:
            descendants -= 1
        else:
            yield element
        descendants += element.integer(_CHILDREN) or 0


class _Field(NamedTuple):
    """The encoded value of a field, and its type."""

    type: int
    value: bytes


class _Element:
    """One `SchemaElement`, its fields by their numbers."""

    def __init__(self, fields: dict[int, _Field]) -> None:
        self._fields = fields

    def integer(self, number: int) -> int | None:
        """The value of an integer field, None if the element has none."""
        field = self._fields.get(number)
        return None if field is None else _Reader(field.value).integer()

    def is_integer_decimal(self) -> bool:
        """Whether this is a column of decimals that are stored as integers."""
        if self.integer(_CHILDREN) or self.integer(_REPETITION) == _REPEATED:
            return False
        return self.integer(_PHYSICAL) in {_INT32, _INT64} and self._is_decimal()

    def _is_decimal(self) -> bool:
        logical = self._fields.get(_LOGICAL)
        if logical is None:
            return self.integer(_CONVERTED) == _CONVERTED_DECIMAL
        # in a union, the number of the only field is the type; it has priority over the converted
        # type
        number, _ = _Reader(logical.value).field(0)
        return number == _LOGICAL_DECIMAL

    def drop_annotation(self) -> None:
        """Removes the logical type of the element."""
        for number in _ANNOTATION & self._fields.keys():
            del self._fields[number]

    def encoded(self) -> bytes:
        """The element, encoded in the compact protocol."""
        parts = []
        last = 0
        for number, (type, value) in sorted(self._fields.items()):
            # field numbers of this struct are below 16, so their distance fits in four bits
            parts += [bytes([(number - last) << 4 | type]), value]
            last = number
        return b"".join(parts) + bytes([_STOP])


class _Reader:
    """A reader at a position in bytes of the compact protocol."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.position = 0

    def field(self, last: int) -> tuple[int, int]:
        """The number and the type of the field after field `last`; `_STOP` at the end."""
        byte = self._byte()
        distance, type = byte >> 4, byte & 15
        if type == _STOP or distance:
            return last + distance, type
        return self.integer(), type

    def struct(self) -> dict[int, _Field]:
        """The fields of a struct."""
        fields = {}
        number, type = self.field(0)
        while type != _STOP:
            start = self.position
            self.skip(type)
            fields[number] = _Field(type, self._data[start : self.position])
            number, type = self.field(number)
        return fields

    def list_length(self) -> int:
        """The length of a list of structs."""
        byte = self._byte()
        if byte & 15 != _STRUCT:
            raise ValueError("a list whose elements are not structs")
        return self._varint() if byte >> 4 == _LONG_LIST else byte >> 4

    def integer(self) -> int:
        """A signed number."""
        number = self._varint()
        return number >> 1 ^ -(number & 1)

    def skip(self, type: int) -> None:
        """Skips a value."""
        if type in _VARINTS:
            self._varint()
        elif type == _BINARY:
            length = self._varint()
            self.position += length
        elif type == _STRUCT:
            self.struct()
        elif type == _BYTE:
            self.position += 1
        elif type not in _BOOLEANS:
            raise ValueError(f"unknown Thrift type {type}")

    def _byte(self) -> int:
        byte = self._data[self.position]
        self.position += 1
        return byte

    def _varint(self) -> int:
        number = shift = 0
        while (byte := self._byte()) & 128:
            number |= (byte & 127) << shift
            shift += 7
        return number | byte << shift
