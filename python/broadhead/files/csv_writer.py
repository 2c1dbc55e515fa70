"""CSV files with the quotes and escapes of Spark's writer (univocity-parsers), a column at a time.

A value is written as it is unless it has a special character, is empty or begins or ends with white
space. Where the rule for such a value is more than quotes around it, `CsvRules.text` applies it to
each distinct value.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.files.line_writer import LineParts, characters_of, joined, replaced

if TYPE_CHECKING:
    from collections.abc import Mapping

_WHITE = "".join(map(chr, range(ord(" ") + 1)))
"""All characters up to the space are white space to the writer, even NUL."""

_OF_NUMBERS = set("0123456789+-.:TZEeINaftrulsyn")
"""Characters of the texts of numbers, booleans, dates and timestamps."""

_QUOTED, _WHITE_QUOTED, _EDGE, _ODD = 1, 2, 4, 8
"""What a value has: a character, or a white one, that needs quotes; white space at an end that is
left out; a quote, an escape, or no character at all."""


@dataclass(frozen=True)
class CsvRules:
    """The writer's options, each character as a string."""

    separator: str
    quote: str
    escape: str
    escape_of_escape: str
    comment: str
    null_value: str
    empty_value: str
    quote_all: bool
    escape_quotes: bool
    trims_start: bool
    trims_end: bool

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> CsvRules:
        """The rules in a fragment's options."""
        return cls(**{field.name: options[_camel(field.name)] for field in fields(cls)})

    @cached_property
    def triggers(self) -> frozenset[str]:
        """Characters that a value may have in quotes only."""
        quote = self.quote if self.escape_quotes else ""
        return frozenset({self.separator, "\n", "\r", *quote})

    def text(self, value: str | None, *, first: bool) -> str:
        """How a value, or null, stands in a line; `first` in the first column."""
        if value is None:
            return self._written(self.null_value, first=first, stands_in=True)
        if not value or (self.trims_start and not value.lstrip(_WHITE)):
            return self._written(self.empty_value, first=first, stands_in=True)
        return self._written(value, first=first, stands_in=False)

    def _written(self, value: str, *, first: bool, stands_in: bool) -> str:
        """The rule for a value, or for the text that stands in for a null or an empty one."""
        kept = value.lstrip(_WHITE) if self.trims_start else value
        begins = kept.startswith(self.quote) or (first and kept and value[0] == self.comment)
        quoted = self.quote_all or bool(begins)
        is_in_quotes = len(value) > 1 and value[0] == value[-1] == self.quote
        if quoted and stands_in and is_in_quotes:
            return value
        quoted = quoted or not self.triggers.isdisjoint(kept)
        if quoted:
            kept = "".join(map(self._escaped, kept))
        if self.trims_end:
            kept = kept.rstrip(_WHITE)
        return f"{self.quote}{kept}{self.quote}" if quoted else kept

    def _escaped(self, character: str) -> str:
        if character == self.quote:
            return self.escape + character
        if character == self.escape and self.escape_of_escape != "\0":
            return self.escape_of_escape + character
        return character


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


class CsvForm:
    """The lines of CSV files.

    `options`: `header` (the first line, or nothing), `strings` (which columns are strings, others
    have the texts of numbers and dates) and those of `CsvRules`.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.head = options["header"].encode()
        self._rules = CsvRules.of(options)
        escaped = {self._rules.quote, self._rules.escape}
        special = self._rules.triggers | escaped
        unlike_numbers = _OF_NUMBERS.isdisjoint({*special, self._rules.comment})
        plain = unlike_numbers and not self._rules.quote_all
        self._plain = [plain and not is_string for is_string in options["strings"]]
        self._traits: dict[bytes, int] = {}
        for character in special:
            quoted = _WHITE_QUOTED if character in _WHITE else _QUOTED
            self._traits[character.encode()] = _ODD if character in escaped else quoted

    def lines(self, columns: list[pa.Array]) -> LineParts:
        """The values of each row with separators and a newline."""
        texts = [self._column(number, column) for number, column in enumerate(columns)]
        if len(texts) == 1:
            # The writer leaves out a line without a character.
            texts = [texts[0].filter(pc.not_equal(texts[0], ""))]
        return LineParts(texts, self._rules.separator, "\n")

    def _column(self, number: int, values: pa.Array) -> pa.Array:
        first = number == 0
        nulls = values.null_count
        if nulls == len(values):
            return pa.repeat(pa.scalar(self._rules.text(None, first=first)), len(values))
        if not self._plain[number]:
            values = self._quoted(values, first=first)
        return values.fill_null(self._rules.text(None, first=first)) if nulls else values

    def _quoted(self, values: pa.Array, *, first: bool) -> pa.Array:
        traits = self._traits_of(values, first=first)
        if not traits.any():
            return values
        edge = traits & _EDGE > 0
        odd = (traits & _ODD > 0) | (edge & (traits & _WHITE_QUOTED > 0))
        trimmed = edge & ~odd
        quoted = (traits & (_QUOTED | _WHITE_QUOTED) > 0) & ~odd
        written = values
        if trimmed.any():
            mask = pa.array(trimmed)
            written = replaced(written, mask, self._trimmed(values.filter(mask), first=first))
        if quoted.any():
            mask, quote = pa.array(quoted), pa.scalar(self._rules.quote)
            written = replaced(written, mask, joined([quote, written.filter(mask), quote]))
        if odd.any():
            mask = pa.array(odd)
            found = values.filter(mask).dictionary_encode()
            texts = [self._rules.text(value, first=first) for value in found.dictionary.to_pylist()]
            new = pa.array(texts, pa.string()).take(found.indices)
            written = replaced(written, mask, new)
        return written

    def _trimmed(self, values: pa.Array, *, first: bool) -> pa.Array:
        trim = pc.ascii_trim if self._rules.trims_end else pc.ascii_ltrim
        texts = trim(values, characters=_WHITE)
        return pc.if_else(pc.equal(texts, ""), self._rules.text("", first=first), texts)

    def _traits_of(self, values: pa.Array, *, first: bool) -> np.ndarray[Any, Any]:
        """The traits of each value; a null has none."""
        offsets = np.frombuffer(values.buffers()[1], np.int32, len(values) + 1)
        data = characters_of(values)
        traits = np.where(offsets[1:] == offsets[:-1], _ODD, 0).astype(np.uint8)
        if self._rules.quote_all:
            traits[:] = _ODD
        elif data.size:
            content = data.tobytes()
            for character, trait in self._traits.items():
                if character in content:
                    places = np.flatnonzero(data == ord(character))
                    traits[np.searchsorted(offsets, places, "right") - 1] |= trait
            filled = np.flatnonzero(offsets[1:] > offsets[:-1])
            begins, ends = data[offsets[filled]], data[offsets[filled + 1] - 1]
            edge = np.zeros(len(filled), bool)
            if self._rules.trims_start:
                edge |= begins <= ord(" ")
            if self._rules.trims_end:
                edge |= ends <= ord(" ")
            traits[filled[edge]] |= _EDGE
            if first:
                traits[filled[begins == ord(self._rules.comment)]] |= _ODD
        if values.null_count:
            traits[np.asarray(values.is_null().to_numpy(zero_copy_only=False), bool)] = 0
        return traits
