"""Values of texts in lines, converted like Spark's parser does.

It has rules of its own, other than CAST. So only texts for which both give the same are converted
by the kernels of CAST; others are left unparsed, and Spark's parser reads their lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.functions.zones import to_utc
from broadhead.types import BOOLEAN, STRING, DecimalType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run
    from broadhead.operators.scan.text.line_columns import TimeFormats
    from broadhead.types import DataType

_DIGITS = "0123456789"
_CHARACTERS = {
    "boolean": "truefalsTRUEFALS",
    "byte": _DIGITS + "+-",
    "short": _DIGITS + "+-",
    "integer": _DIGITS + "+-",
    "long": _DIGITS + "+-",
    "float": _DIGITS + "+-.eE",
    "double": _DIGITS + "+-.eE",
    "decimal": _DIGITS + "+-.",
    "date": _DIGITS + "-",
    "timestamp": _DIGITS + "+-:.TZ ",
    "timestamp_ntz": _DIGITS + "-:.T ",
}
"""Characters of texts that are parsed here, by type."""

_DATE_LENGTH, _SECONDS_LENGTH = 10, 19
_SHORTEST_BOOLEAN, _LONGEST_BOOLEAN = 4, 5
_DASHES_OF_DATES = 2


class _Texts:
    """The characters of a column of strings."""

    def __init__(self, texts: pa.Array) -> None:
        self.offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset :][: len(texts) + 1]
        first, last = int(self.offsets[0]), int(self.offsets[-1])
        content = texts.buffers()[2]
        self.characters = np.frombuffer(content or b"", np.uint8)[first:last]
        self.starts = self.offsets[:-1] - first
        self.sizes = np.diff(self.offsets)

    def have_any(self, mask: Any) -> Any:
        """Mask of the texts with at least one character for which `mask` is true."""
        before = np.concatenate([[0], np.cumsum(mask)])
        ends = self.starts + self.sizes
        return before[ends] > before[self.starts]

    def at(self, position: int) -> Any:
        """The character at a position; any other for texts that end before it."""
        if not len(self.characters):
            return np.zeros(len(self.sizes), np.uint8)
        return self.characters[np.minimum(self.starts + position, len(self.characters) - 1)]


def convert(
    texts: pa.Array, data_type: DataType, formats: TimeFormats, run: Run
) -> tuple[Array, Any | None]:
    """The values of the texts, and a mask of those that only Spark's parser can convert.

    The mask is numpy's, None for no such text.
    """
    from_arrow = run.kernels.columns.from_arrow
    if data_type.name == "string":
        return from_arrow(texts, STRING), None
    unparsed = _unparsed(_Texts(texts), data_type, formats)
    unparsed &= np.asarray(texts.is_valid())
    if unparsed.any():
        texts = pc.if_else(pa.array(unparsed), pa.scalar(None, pa.string()), texts)
    data, failed = _parsed(from_arrow(texts, STRING), data_type, formats, run)
    if failed is not None:
        unparsed |= np.asarray(run.kernels.columns.to_arrow(failed, BOOLEAN))
    return data, unparsed if unparsed.any() else None


def _parsed(
    data: Array, data_type: DataType, formats: TimeFormats, run: Run
) -> tuple[Array, Array | None]:
    """The values by the kernels of CAST, and a mask of the texts that are none."""
    k = run.kernels
    if isinstance(data_type, DecimalType):
        return k.parse.decimals(data, data_type.precision, data_type.scale)
    match data_type.name:
        case "boolean":
            return k.parse.booleans(data)
        case "float" | "double":
            return k.parse.floats(data, data_type)
        case "date":
            return k.parse.dates(data)
        case "timestamp_ntz":
            return k.parse.local_timestamps(data)
        case "timestamp":
            assert formats.time_zone is not None, "a scan with timestamps names its time zone"
            micros, zoned, failed = k.parse.timestamps(data)
            utc = to_utc(k, micros, run.zones[formats.time_zone])
            return (utc if zoned is None else k.logic.if_else(zoned, micros, utc)), failed
    return k.parse.integers(data, data_type, fraction=False)


def _unparsed(texts: _Texts, data_type: DataType, formats: TimeFormats) -> Any:
    """Mask of texts that Spark's parser may convert in another way than CAST."""
    known = np.zeros(256, bool)
    known[list(_CHARACTERS[data_type.name].encode())] = True
    unknown = ~known[texts.characters]
    unparsed = texts.have_any(unknown) if unknown.any() else np.zeros(len(texts.sizes), bool)
    form = _FORMS.get(data_type.name)
    return unparsed | form(texts, formats) if form is not None else unparsed


def _unparsed_boolean(texts: _Texts, _: TimeFormats) -> Any:
    return (texts.sizes < _SHORTEST_BOOLEAN) | (texts.sizes > _LONGEST_BOOLEAN)


def _unparsed_date(texts: _Texts, formats: TimeFormats) -> Any:
    unparsed = (texts.sizes != _DATE_LENGTH) | _no_day(texts)
    return unparsed | (texts.at(0) == ord("0")) if formats.date is not None else unparsed


def _no_day(texts: _Texts) -> Any:
    """Texts that do not start like `yyyy-mm-dd`."""
    dash = ord("-")
    return (texts.at(4) != dash) | (texts.at(7) != dash) | (texts.at(0) == dash)


def _unparsed_timestamp(texts: _Texts, formats: TimeFormats) -> Any:
    return _unparsed_moment(texts, formats.timestamp)


def _unparsed_local(texts: _Texts, formats: TimeFormats) -> Any:
    unparsed = _unparsed_moment(texts, formats.timestamp_ntz)
    dashes = np.concatenate([[0], np.cumsum(texts.characters == ord("-"))])
    count = dashes[texts.starts + texts.sizes] - dashes[texts.starts]
    return unparsed | (count != _DASHES_OF_DATES)


def _unparsed_moment(texts: _Texts, pattern: str | None) -> Any:
    colon = ord(":")
    unparsed = _no_day(texts)
    no_clock = (texts.at(13) != colon) | (texts.at(16) != colon)
    if pattern is None:
        short = (texts.sizes < _SECONDS_LENGTH) & (texts.sizes != _DATE_LENGTH)
        return unparsed | short | ((texts.sizes != _DATE_LENGTH) & no_clock)
    between = ord("T" if "T" in pattern else " ")
    other = (texts.sizes != _SECONDS_LENGTH) | (texts.at(10) != between)
    return unparsed | other | no_clock | (texts.at(0) == ord("0"))


_FORMS: Mapping[str, Callable[[_Texts, TimeFormats], Any]] = {
    "boolean": _unparsed_boolean,
    "date": _unparsed_date,
    "timestamp": _unparsed_timestamp,
    "timestamp_ntz": _unparsed_local,
}
