"""The rows of an RDD's partition, made by PySpark's functions in this process."""

from __future__ import annotations

import io
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Rows and characters, of texts and lists, that are made before they become columns.
_ROWS = 8192
_LENGTH = 16 << 20

# One of so many rows is measured.
_MEASURED = 32


class _Elements(io.RawIOBase):
    """The bytes of all elements as one stream."""

    def __init__(self, elements: Iterable[bytes]) -> None:
        self._elements = iter(elements)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer from one element; 0 after the last."""
        while not self._rest:
            element = next(self._elements, None)
            if element is None:
                return 0
            self._rest = memoryview(element)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def rdd_rows(
    command: bytes, partition: int, elements: Iterable[bytes]
) -> Iterator[Sequence[object]]:
    """The rows, some at a time; `command` is PySpark's pickle of the functions."""
    stream = io.BufferedReader(_Elements(elements), buffer_size=1 << 16)
    function, deserializer = _functions(command)
    return _parts(function(partition, deserializer.load_stream(stream)))


def _parts(rows: Iterable[object]) -> Iterator[Sequence[object]]:
    iterator = iter(rows)
    try:
        while part := _part(iterator):
            yield part
    finally:
        # As Spark's worker does with generators of the user that were not read to their end.
        if hasattr(rows, "close"):
            rows.close()


def _part(rows: Iterator[Any]) -> Sequence[Any]:
    part: list[Any] = []
    length = 0
    while len(part) < _ROWS and length < _LENGTH and (some := list(islice(rows, _MEASURED))):
        length += _MEASURED * _length(some[0])
        part += some
    return part


def _length(row: Any) -> int:
    values = row if isinstance(row, tuple) else ()
    return sum(len(value) for value in values if isinstance(value, str | bytes | list))


def _functions(command: bytes) -> tuple[Any, Any]:
    from pyspark import Broadcast
    from pyspark.serializers import CPickleSerializer

    serializer = CPickleSerializer()
    loaded = serializer.loads(command)
    if isinstance(loaded, Broadcast):
        loaded = serializer.loads(loaded.value)
    function, _, deserializer, _ = loaded
    return function, deserializer
