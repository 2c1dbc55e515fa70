"""The values of separated fields, read from the bytes of lines on the device."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cupy
import numpy as np
import pylibcudf as plc
from rmm.allocators.cupy import rmm_cupy_allocator

from broadhead.kernels.cudf.field_bounds import field_bounds
from broadhead.kernels.cudf.field_launch import launch
from broadhead.kernels.cudf.field_source import PLAIN, UNPARSED
from broadhead.kernels.cudf.physical import (
    BOOL,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    Column,
    device_type,
)
from broadhead.kernels.interface.fields import FieldLayout, FieldValues, WantedField
from broadhead.types import INTEGRAL_BITS, MAX_LONG_DIGITS, DecimalType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST_UNPARSED = 16
"""A block with more than one unparsed line in so many is read on the host."""

_CLOCKS = {"any": 0, "T": ord("T"), " ": ord(" ")}
_OTHERS = frozenset({"double", "boolean", "date", "timestamp", "timestamp_ntz", "string"})
_VALUES = {
    INT8: np.int8,
    INT16: np.int16,
    INT32: np.int32,
    INT64: np.int64,
    FLOAT64: np.float64,
    BOOL: np.uint8,
}

_own = threading.local()


def can_read(wanted: Sequence[WantedField]) -> bool:
    """Whether all types are those of plain texts."""
    return all(
        field.type.precision <= MAX_LONG_DIGITS
        if isinstance(field.type, DecimalType)
        else field.type.name in INTEGRAL_BITS or field.type.name in _OTHERS
        for field in wanted
    )


def staging(size: int) -> memoryview:
    """Page-locked memory, from which the device copies without the host's help."""
    memory = getattr(_own, "memory", None)
    if memory is None or memory.mem.size < size:
        memory = _own.memory = cupy.cuda.alloc_pinned_memory(size)
    return memoryview(memory)[:size].cast("B")


def read(
    block: memoryview, layout: FieldLayout, wanted: Sequence[WantedField]
) -> FieldValues | None:
    """The values of a block of whole lines; None if a line is not plain."""
    with _on_own_stream():
        characters = cupy.empty(len(block), np.uint8)
        characters.set(np.frombuffer(block, np.uint8), cupy.cuda.Stream.ptds)
        bounds = field_bounds(characters, block, layout)
        if bounds is None:
            return None
        word = cupy.asarray(np.frombuffer(layout.null_word or b"\0", np.uint8))
        texts = _Texts(characters, word, len(layout.null_word))
        found = [texts.read(*bounds.of(field.position), field) for field in wanted]
        unparsed = cupy.zeros(bounds.rows, np.bool_)
        for one in found:
            unparsed |= one.states == UNPARSED
        # all numbers that the host needs, at once
        numbers = [cupy.count_nonzero(unparsed), *(n for one in found for n in one.numbers())]
        count, *rest = cupy.asnumpy(cupy.stack(numbers)).tolist()
        if count * _MOST_UNPARSED > bounds.rows:
            return None
        columns = [
            one.column(texts, plain, size)
            for one, plain, size in zip(found, rest[::2], rest[1::2], strict=True)
        ]
        return FieldValues(bounds.rows, columns, cupy.asnumpy(unparsed) if count else None)


@contextmanager
def _on_own_stream() -> Iterator[None]:
    """On the stream that pylibcudf uses in this thread, with the memory that it uses."""
    with cupy.cuda.Stream.ptds, cupy.cuda.using_allocator(rmm_cupy_allocator):
        yield


@dataclass(frozen=True, slots=True)
class _Texts:
    """Reads texts of a block; `word` is the text that is null."""

    characters: Any
    word: Any
    word_size: int

    def read(self, starts: Any, ends: Any, field: WantedField) -> _Found:
        """The values of a field; of strings their sizes."""
        rows = len(starts)
        to = device_type(field.type)
        states = cupy.empty(rows, np.uint8)
        size = np.int64(self.word_size)
        common = (self.characters, starts, ends, np.int64(rows), self.word, size, states)
        if field.type.name == "string":
            sizes = cupy.empty(rows, np.int32)
            launch("measure_texts", rows, *common, sizes)
            return _Found(to, states, sizes, starts)
        values = cupy.empty(rows, np.int32 if field.type.name == "date" else _VALUES[to])
        kernel, *parameters = _reader(field)
        launch(kernel, rows, *common, values, *parameters)
        return _Found(to, states, values, None)

    def copied(self, starts: Any, sizes: Any, size: int) -> Column:
        """Strings of these sizes, which have so many bytes in all."""
        rows = len(starts)
        offsets = cupy.zeros(rows + 1, np.int32)
        cupy.cumsum(sizes, dtype=np.int32, out=offsets[1:])
        content = cupy.empty(max(1, size), np.uint8)
        launch("copy_texts", rows, self.characters, starts, np.int64(rows), offsets, content)
        children = [plc.Column(INT32, rows + 1, _memory(offsets), None, 0, 0, [])]
        return plc.Column(STRING, rows, _memory(content), None, 0, 0, children)


@dataclass(frozen=True, slots=True)
class _Found:
    """What the texts of a field are: their states, and values or sizes of strings."""

    type: plc.DataType
    states: Any
    values: Any
    starts: Any | None

    def numbers(self) -> tuple[Any, Any]:
        """How many are plain, and the bytes of all strings, on the device."""
        plain = cupy.count_nonzero(self.states == PLAIN)
        return plain, plain if self.starts is None else self.values.sum(dtype=np.int64)

    def column(self, texts: _Texts, plain: int, size: int) -> Column:
        """The column, null where a text is null or unparsed."""
        rows = len(self.states)
        if self.starts is None:
            column = plc.Column(self.type, rows, _memory(self.values), None, 0, 0, [])
        else:
            column = texts.copied(self.starts, self.values, size)
        if plain == rows:
            return column
        valid = _memory(self.states == PLAIN)
        mask, count = plc.transform.bools_to_mask(plc.Column(BOOL, rows, valid, None, 0, 0, []))
        return column.with_mask(mask, count)


def _reader(field: WantedField) -> tuple[Any, ...]:
    """The name of the kernel of a type, and its parameters."""
    if isinstance(field.type, DecimalType):
        return "read_decimal", np.int64(field.type.precision), np.int64(field.type.scale)
    name = field.type.name
    if name in INTEGRAL_BITS:
        most = 2 ** (INTEGRAL_BITS[name] - 1)
        return f"read_{name}", np.int64(-most), np.int64(most - 1)
    if name.startswith("timestamp"):
        return "read_timestamp", np.int64(_CLOCKS[field.clock])
    return (f"read_{name}",)


def _memory(array: Any) -> plc.gpumemoryview:
    return plc.gpumemoryview(array)
