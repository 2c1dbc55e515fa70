"""Texts of integers, decimals and days, as Spark writes them into lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from broadhead.files.line_parts import Numbers

_FIRST_SHORT_DAY, _LAST_SHORT_DAY = -719_528, 2_932_896
"""Days of the years 0 to 9999, whose texts have neither sign."""


def numbers_of(values: pa.Array, base: int = 0) -> Numbers:
    """The 64-bit integers of values, less `base`: also days, and decimals of 18 digits unscaled."""
    stored = _stored(values)
    return np.subtract(stored, base, dtype=np.int64) if base else stored.astype(np.int64)


def range_of(values: pa.Array) -> tuple[int, int]:
    """The least and the greatest number of values, of which at least one is not null."""
    if values.null_count:
        values = values.drop_null()
    numbers = _stored(values)
    return int(numbers.min()), int(numbers.max())


def _stored(values: pa.Array) -> Numbers:
    count, offset = len(values), values.offset
    data = values.buffers()[1]
    if pa.types.is_decimal(values.type):
        return np.frombuffer(data, np.int64, 2 * count, 16 * offset)[::2]
    size = values.type.bit_width // 8
    return np.frombuffer(data, f"i{size}", count, offset * size)


def texts_of(values: pa.Array) -> pa.Array:
    """The texts of any values that lines are made of; strings are texts already."""
    if pa.types.is_string(values.type):
        return values
    valid = values.is_valid()
    numbers = np.where(valid.to_numpy(zero_copy_only=False), numbers_of(values), 0)
    texts = texts_of_numbers(numbers, values.type)
    return pc.if_else(valid, texts, pa.scalar(None, pa.string()))


def texts_of_numbers(numbers: Numbers, data_type: pa.DataType) -> pa.Array:
    """The texts of `numbers_of` values of a type, none of which is null."""
    count = len(numbers)
    if pa.types.is_decimal(data_type):
        words = np.stack([numbers, numbers >> 63], axis=1)
        buffers = [None, pa.py_buffer(words)]
        return pa.Array.from_buffers(data_type, count, buffers).cast(pa.string())
    if not pa.types.is_date(data_type):
        return pa.array(numbers).cast(pa.string())
    if count and (numbers.min() < _FIRST_SHORT_DAY or numbers.max() > _LAST_SHORT_DAY):
        days = numbers.astype("M8[D]")
        years = days.astype("M8[Y]").astype(np.int64) + 1970
        texts = np.datetime_as_string(days)
        return pa.array([_day(*pair) for pair in zip(years.tolist(), texts.tolist(), strict=True)])
    return pa.array(numbers.astype(np.int32)).view(pa.date32()).cast(pa.string())


def _day(year: int, text: str) -> str:
    sign = "+" if year > 9999 else "-" if year < 0 else ""
    return f"{sign}{abs(year):04d}{text[-len('-mm-dd') :]}"
