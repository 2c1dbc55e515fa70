"""The values of separated fields, read from the bytes of lines on the device."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import cupy
import numpy as np
import pylibcudf as plc
from rmm.allocators.cupy import rmm_cupy_allocator

from broadhead.kernels.cudf.field_source import PLAIN, SOURCE, STRANGE
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
    from collections.abc import Callable, Iterator, Sequence

_THREADS = 256
_MOST_STRANGE = 16
"""A block with more than one strange line in so many is read on the host."""

_LF, _CR, _SPACE, _BYTE_ORDER_MARK = 0x0A, 0x0D, 0x20, 0xEF
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
        bounds = _bounds(characters, block, layout)
        if bounds is None:
            return None
        word = cupy.asarray(np.frombuffer(layout.null_word or b"\0", np.uint8))
        texts = _Texts(characters, word, len(layout.null_word))
        columns, strange = [], cupy.zeros(bounds.rows, np.bool_)
        for field in wanted:
            starts, ends = bounds.of(field.position)
            column, states = texts.column(starts, ends, field)
            columns.append(column)
            strange |= states == STRANGE
        count = int(cupy.count_nonzero(strange))
        if count * _MOST_STRANGE > bounds.rows:
            return None
        return FieldValues(bounds.rows, columns, cupy.asnumpy(strange) if count else None)


@contextmanager
def _on_own_stream() -> Iterator[None]:
    """On the stream that pylibcudf uses in this thread, with the memory that it uses."""
    with cupy.cuda.Stream.ptds, cupy.cuda.using_allocator(rmm_cupy_allocator):
        yield


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Where the fields of all lines start and end.

    Attributes
    ----------
    ends
        Positions after the fields, by line and field, int64.
    line_ends
        Positions after the contents of the lines.
    is_quoted
        Characters of the block that are quotes; None for no quotes.
    """

    rows: int
    ends: Any
    line_ends: Any
    is_quoted: Any | None

    def of(self, position: int) -> tuple[Any, Any]:
        """The starts and ends of the fields at a position, within their quotes."""
        if position:
            starts = self.ends[:, position - 1] + 1
        else:
            starts = cupy.zeros(self.rows, np.int64)
            starts[1:] = self.ends[:-1, -1] + 1
        last = position == self.ends.shape[1] - 1
        ends = cupy.ascontiguousarray(self.line_ends if last else self.ends[:, position])
        if self.is_quoted is not None:
            quoted = self.is_quoted[starts] & (ends > starts)
            starts, ends = starts + quoted, ends - quoted
        return starts, ends


def _bounds(characters: Any, block: memoryview, layout: FieldLayout) -> _Bounds | None:
    """The bounds of the fields; None if a line is not plain."""
    if bool((characters == 0).any()) or not _is_well_formed(characters, block):
        return None
    feeds = characters == _LF
    stops = feeds | (characters == layout.separator)
    rows = int(cupy.count_nonzero(feeds))
    quotes = None
    if layout.quote is not None:
        quotes = characters == layout.quote
        if bool(quotes.any()):
            inside = cupy.cumsum(quotes, dtype=np.uint8) & 1 == 1
            if not _are_around_fields(characters, quotes, inside, layout):
                return None
            stops &= ~inside
        else:
            quotes = None
    places = cupy.flatnonzero(stops)
    if not rows or len(places) != rows * layout.fields:
        return None
    ends = places.reshape(rows, layout.fields)
    lasts = ends[:, -1]
    if not bool(feeds[lasts].all()):
        return None
    line_ends = _line_ends(characters, lasts, layout)
    if line_ends is None or not _are_rows(characters, lasts, line_ends, layout):
        return None
    return _Bounds(rows, ends, line_ends, quotes)


def _is_well_formed(characters: Any, block: memoryview) -> bool:
    if not bool((characters >= 0x80).any()):
        return True
    try:
        str(block, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _are_around_fields(characters: Any, quotes: Any, inside: Any, layout: FieldLayout) -> bool:
    """Whether quotes stand around whole fields, and Spark's parser takes what is within as it is.

    `inside` is true from a quote that opens up to the character before the one that closes.
    """
    if layout.escape not in {None, layout.quote} and bool((characters == layout.escape).any()):
        return False
    if bool(inside[-1]) or bool((inside & (characters == _LF)).any()):
        return False
    edge = (characters == layout.separator) | (characters == _LF)
    opened, closed = quotes & inside, quotes & ~inside
    before = cupy.ones(len(characters), np.bool_)
    before[1:] = edge[:-1]
    if bool((opened & ~before).any()):
        return False
    after = edge[1:] | (characters[1:] == _CR)
    if bool((closed[:-1] & ~after).any()):
        return False
    return layout.empty_is_null or not bool((opened[:-1] & closed[1:]).any())


def _line_ends(characters: Any, lasts: Any, layout: FieldLayout) -> Any | None:
    """Where the contents of the lines end; None if a CR is no part of a line's end."""
    returns = int(cupy.count_nonzero(characters == _CR))
    if not returns:
        return lasts
    before = characters[cupy.maximum(lasts - 1, 0)] == _CR
    if not layout.any_line_end or returns != len(lasts) or not bool(before.all()):
        return None
    return lasts - 1


def _are_rows(characters: Any, lasts: Any, line_ends: Any, layout: FieldLayout) -> bool:
    """Whether Spark's parser sees all lines, as neither blank nor comments, and no long ones."""
    starts = cupy.zeros(len(lasts), np.int64)
    starts[1:] = lasts[:-1] + 1
    first = characters[starts]
    blank = first <= _SPACE if layout.fields == 1 or layout.separator <= _SPACE else None
    if blank is not None and bool(blank.any()):
        return False
    if bool((first == _BYTE_ORDER_MARK).any()):
        return False
    if layout.comment is not None and bool((first == layout.comment).any()):
        return False
    longest = int((line_ends - starts).max()) if layout.most_characters >= 0 else -1
    return longest < 0 or longest < layout.most_characters


@cache
def _kernel(name: str) -> Callable[..., None]:
    kernel: Callable[..., None] = _module().get_function(name)
    return kernel


@cache
def _module() -> Any:
    return cupy.RawModule(code=SOURCE, options=("--std=c++17",))


def _launch(name: str, rows: int, *arguments: Any) -> None:
    if rows:
        _kernel(name)((-(-rows // _THREADS),), (_THREADS,), arguments)


@dataclass(frozen=True, slots=True)
class _Texts:
    """Reads texts of a block; `word` is the text that is null."""

    characters: Any
    word: Any
    word_size: int

    def column(self, starts: Any, ends: Any, field: WantedField) -> tuple[Column, Any]:
        """The values of a field, and the state of each text."""
        if field.type.name == "string":
            return self._strings(starts, ends)
        rows = len(starts)
        to = device_type(field.type)
        values = cupy.empty(rows, np.int32 if field.type.name == "date" else _VALUES[to])
        states = cupy.empty(rows, np.uint8)
        kernel, *parameters = _reader(field)
        _launch(kernel, rows, *self._arguments(starts, ends, states), values, *parameters)
        return _with_nulls(plc.Column(to, rows, _memory(values), None, 0, 0, []), states), states

    def _arguments(self, starts: Any, ends: Any, states: Any) -> tuple[Any, ...]:
        rows, word = np.int64(len(starts)), np.int64(self.word_size)
        return self.characters, starts, ends, rows, self.word, word, states

    def _strings(self, starts: Any, ends: Any) -> tuple[Column, Any]:
        rows = len(starts)
        states = cupy.empty(rows, np.uint8)
        sizes = cupy.empty(rows, np.int32)
        _launch("measure_texts", rows, *self._arguments(starts, ends, states), sizes)
        offsets = cupy.zeros(rows + 1, np.int32)
        cupy.cumsum(sizes, dtype=np.int32, out=offsets[1:])
        content = cupy.empty(max(1, int(offsets[-1])), np.uint8)
        # a quote before the text is no part of it
        _launch("copy_texts", rows, self.characters, starts, np.int64(rows), offsets, content)
        children = [plc.Column(INT32, rows + 1, _memory(offsets), None, 0, 0, [])]
        texts = plc.Column(STRING, rows, _memory(content), None, 0, 0, children)
        return _with_nulls(texts, states), states


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


def _with_nulls(column: Column, states: Any) -> Column:
    """Null where a text is null or strange."""
    valid = states == PLAIN
    nulls = len(states) - int(cupy.count_nonzero(valid))
    if not nulls:
        return column
    flags = plc.Column(BOOL, len(states), _memory(valid), None, 0, 0, [])
    mask, count = plc.transform.bools_to_mask(flags)
    return column.with_mask(mask, count)


def _memory(array: Any) -> plc.gpumemoryview:
    return plc.gpumemoryview(array)
