"""The texts of a column's values as parts of lines, made from the values themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.files.digit_parts import digits, fixed_digits
from broadhead.files.line_parts import (
    LARGEST_ITEM,
    Numbers,
    Part,
    constant,
    fixed,
    items_at,
    varying,
)
from broadhead.files.line_texts import Around, Texts, rows_of, valid_of
from broadhead.files.value_texts import numbers_of, range_of, texts_of, texts_of_numbers

_ROWS_PER_NUMBER = 4
"""So many rows for each number of the range, at least, make a table of its texts worth its cost."""

_STEP, _MOST, _LARGE = 256, 1 << 15, 1 << 62
"""Ranges of tables begin and end at multiples of a step, and have at most so many numbers."""

_FAST_SIZES = (4, 8, 16)
"""Items of these sizes are taken from a table much faster than others."""


class Cells(Protocol):
    """The texts of a column."""

    def parts(self, start: int, stop: int) -> Iterator[Part]:
        """Those of some of the rows."""


def cells_of(values: pa.Array, around: Around) -> Cells:
    """The texts of integers, days and decimals of up to 64 bits; strings are texts already."""
    if values.null_count == len(values):
        return TextCells(pa.nulls(len(values), pa.string()), around)
    if pa.types.is_string(values.type):
        return TextCells(values, around)
    least, greatest = range_of(values)
    if (greatest - least + 1) * _ROWS_PER_NUMBER <= len(values) and abs(greatest) < _LARGE:
        # batches of one column have much the same range
        first = least - least % _STEP
        count = ((greatest - first) // _STEP + 1) * _STEP
        table = None
        if count <= _MOST:
            table = _table(first, count, values.type, around, has_nulls=values.null_count > 0)
        if table is not None:
            return TableCells(values, first, *table)
    if pa.types.is_date(values.type):
        return TextCells(texts_of(values), around)
    scale = values.type.scale if pa.types.is_decimal(values.type) else 0
    return NumberCells(values, scale, around)


@dataclass(frozen=True, slots=True, eq=False)
class SomeRows:
    """The same text in some of the rows."""

    text: bytes
    mask: Numbers

    def parts(self, start: int, stop: int) -> Iterator[Part]:
        """The text."""
        yield from constant(self.text, np.flatnonzero(self.mask[start:stop]))


@dataclass(frozen=True, slots=True, eq=False)
class TextCells:
    """Texts as they are."""

    values: pa.Array
    around: Around

    def parts(self, start: int, stop: int) -> Iterator[Part]:
        """The texts."""
        return Texts.of(self.values.slice(start, stop - start), self.around).parts()


@dataclass(frozen=True, slots=True, eq=False)
class TableCells:
    """Values from a small range, whose least one has the first of the `items`."""

    values: pa.Array
    least: int
    items: Numbers
    widths: Numbers | int

    def parts(self, start: int, stop: int) -> Iterator[Part]:
        """The items of the rows."""
        values = self.values.slice(start, stop - start)
        valid = valid_of(values)
        codes = numbers_of(values, self.least)
        if valid is not None:
            codes[~valid] = len(self.items) - 1
        items = self.items.take(codes)
        if isinstance(self.widths, int):
            yield fixed(items, self.widths)
        else:
            yield varying(items, self.widths.take(codes))


@lru_cache(16)
def _table(
    least: int, count: int, data_type: pa.DataType, around: Around, *, has_nulls: bool
) -> tuple[Numbers, Numbers | int] | None:
    """The text of each number with what is around it, and then a null's.

    None if one is too long for an item.
    """
    texts = texts_of_numbers(least + np.arange(count), data_type)
    before, after = (pa.scalar(part, pa.binary()) for part in (around.before, around.after))
    whole = pc.binary_join_element_wise(before, texts.cast(pa.binary()), after, b"")
    if has_nulls:
        whole = pa.concat_arrays([whole, pa.array([around.absent], pa.binary())])
    found = Texts.of(whole, around)
    least, size = int(found.lengths.min()), int(found.lengths.max())
    if size > LARGEST_ITEM:
        return None
    widths = size if least == size else found.lengths.astype(np.uint8)
    size = next((fast for fast in _FAST_SIZES if fast >= size), size)
    return items_at(found.data, found.begins, size), widths


@dataclass(frozen=True, slots=True, eq=False)
class NumberCells:
    """Integers, of which `scale` digits stand after a point."""

    values: pa.Array
    scale: int
    around: Around

    def parts(self, start: int, stop: int) -> Iterator[Part]:
        """Signs and digits."""
        values = self.values.slice(start, stop - start)
        rows, absent = rows_of(valid_of(values))
        numbers = numbers_of(values)
        if rows is not None:
            numbers = numbers[rows]
        yield from constant(self.around.before, rows)
        negative = np.flatnonzero(numbers < 0)
        if len(negative):
            yield from constant(b"-", negative if rows is None else rows[negative])
        # the least integer, too, is right as an unsigned one
        magnitudes = np.abs(numbers).view(np.uint64)
        if self.scale:
            power = np.uint64(10**self.scale)
            whole = magnitudes // power
            yield from digits(whole, b".", rows)
            yield from fixed_digits(magnitudes - whole * power, self.scale, self.around.after, rows)
        else:
            yield from digits(magnitudes, self.around.after, rows)
        if len(absent):
            yield from constant(self.around.absent, absent)
