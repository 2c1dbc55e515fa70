"""Streams of record batches instead of the sockets of PySpark's worker.

PySpark's serializers convert between the batches on a socket and the objects of the user's
functions. All of them read and write batches with the methods of `ArrowStreamSerializer`. With
these two streams instead of the socket, the same methods pass the batches on as they are.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.errors import WouldRaise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from broadhead.operators.user_functions import Group


class BatchInput:
    """The batches of a task, from which a serializer reads one stream."""

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self._batches = batches

    def next_stream(self) -> Iterator[pa.RecordBatch]:
        """All batches."""
        return iter(self._batches)


class GroupInput:
    """The groups of a task.

    Serializers for groups first read the number of streams of the next group, 0 after the last,
    then each stream. Others (Spark 4.0) read one stream, with a batch for each group.
    """

    def __init__(self, groups: Iterable[Group]) -> None:
        self._groups = iter(groups)
        self._sides: Iterator[Iterable[pa.RecordBatch]] | None = None

    def read(self, length: int) -> bytes:
        """The number of streams of the next group, as PySpark reads an integer."""
        assert length == 4
        group = next(self._groups, ())
        self._sides = iter(group)
        return struct.pack("!i", len(group))

    def next_stream(self) -> Iterator[pa.RecordBatch]:
        """The batches of the next side of the current group."""
        if self._sides is None:
            return (_whole(side) for group in self._groups for side in group)
        return iter(next(self._sides))


def _whole(batches: Iterable[pa.RecordBatch]) -> pa.RecordBatch:
    listed = list(batches)
    return listed[0] if len(listed) == 1 else pa.concat_batches(listed)


class BatchOutput:
    """The batches that a serializer writes: computed when they are read."""

    def __init__(self) -> None:
        self.batches: Iterator[pa.RecordBatch] = iter(())

    def write(self, _data: bytes) -> None:
        """Ignore what precedes the first batch on a socket."""

    def flush(self) -> None:
        """Nothing is kept back."""


def copied(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch in memory of its own: a function may use the memory of its results again.

    Extension types become those of their storage, which Spark reads. Raises `WouldRaise` for
    dictionaries: Spark reads their indices, which most types refuse.
    """
    schema = pa.schema([field.with_type(_stored(field.type)) for field in batch.schema])
    return pa.ipc.read_record_batch(batch.serialize(), schema)


def _stored(data_type: pa.DataType) -> pa.DataType:
    """The type without extensions, in all its parts."""
    if pa.types.is_dictionary(data_type):
        raise WouldRaise("ARROW_DICTIONARY")
    if isinstance(data_type, pa.BaseExtensionType):
        return _stored(data_type.storage_type)
    if pa.types.is_struct(data_type):
        return pa.struct([field.with_type(_stored(field.type)) for field in data_type])
    if pa.types.is_map(data_type):
        key, item = data_type.key_field, data_type.item_field
        return pa.map_(key.with_type(_stored(key.type)), item.with_type(_stored(item.type)))
    if pa.types.is_list(data_type) or pa.types.is_large_list(data_type):
        element = data_type.value_field
        listed = pa.list_ if pa.types.is_list(data_type) else pa.large_list
        return listed(element.with_type(_stored(element.type)))
    return data_type


@cache
def install() -> None:
    """Let PySpark's serializers pass the batches of these streams on. Others work as before."""
    from pyspark.sql.pandas.serializers import ArrowStreamSerializer

    load, dump = ArrowStreamSerializer.load_stream, ArrowStreamSerializer.dump_stream

    def load_stream(self: Any, stream: Any) -> Any:
        if isinstance(stream, BatchInput | GroupInput):
            return stream.next_stream()
        return load(self, stream)

    def dump_stream(self: Any, iterator: Any, stream: Any) -> Any:
        if isinstance(stream, BatchOutput):
            stream.batches = iter(iterator)
            return None
        return dump(self, iterator, stream)

    ArrowStreamSerializer.load_stream = load_stream
    ArrowStreamSerializer.dump_stream = dump_stream
