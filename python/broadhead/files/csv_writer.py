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

from broadhead.files.line_writer import joined, replaced

if TYPE_CHECKING:
    from collections.abc import Mapping

_WHITE = "".join(map(chr, range(ord(" ") + 1)))
"""All characters up to the space are white space to the writer, even NUL."""

_OF_NUMBERS = set("0123456789+-.:TZEeINaftrulsyn")
"""Characters of the texts of numbers, booleans, dates and timestamps."""


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
        special = {*self._rules.triggers, self._rules.quote, self._rules.escape}
        plain = not self._rules.quote_all and _OF_NUMBERS.isdisjoint(
            special | {self._rules.comment}
        )
        self._plain = [plain and not is_string for is_string in options["strings"]]
        self._special = np.zeros(256, bool)
        self._special[[ord(character) for character in special]] = True

    def lines(self, columns: list[pa.Array]) -> pa.Array:
        """The values of each row with separators and a newline."""
        texts = [self._column(number, column) for number, column in enumerate(columns)]
        if len(texts) == 1:
            # The writer leaves out a line without a character.
            (lines,) = texts
            lines = lines.filter(pc.not_equal(lines, ""))
        else:
            lines = joined(texts, self._rules.separator)
        return joined([lines, pa.scalar("\n")])

    def _column(self, number: int, values: pa.Array) -> pa.Array:
        first = number == 0
        nulls = values.null_count
        if nulls == len(values):
            return pa.repeat(pa.scalar(self._rules.text(None, first=first)), len(values))
        if not self._plain[number]:
            values = self._quoted(values, first=first)
        return values.fill_null(self._rules.text(None, first=first)) if nulls else values

    def _quoted(self, values: pa.Array, *, first: bool) -> pa.Array:
        odd = self._odd_rows(values, first=first)
        if not odd.any():
            return values
        mask = pa.array(odd)
        chosen = values.filter(mask).dictionary_encode()
        texts = [self._rules.text(value, first=first) for value in chosen.dictionary.to_pylist()]
        return replaced(values, mask, pa.array(texts, pa.string()).take(chosen.indices))

    def _odd_rows(self, values: pa.Array, *, first: bool) -> np.ndarray[Any, Any]:
        """Where a value may be written in another way than as it is; false for nulls."""
        rows = len(values)
        offsets = np.frombuffer(values.buffers()[1], np.int32, rows + 1)
        data = np.frombuffer(values.buffers()[2] or b"", np.uint8)
        odd: np.ndarray[Any, Any] = offsets[1:] == offsets[:-1]
        if self._rules.quote_all:
            odd[:] = True
        elif data.size:
            filled = ~odd
            begins, ends = data[offsets[:-1][filled]], data[offsets[1:][filled] - 1]
            edge = (begins <= ord(" ")) | (ends <= ord(" "))
            if first:
                edge |= begins == ord(self._rules.comment)
            odd[filled] = edge
            found = np.flatnonzero(self._special[data[: offsets[-1]]])
            odd[np.searchsorted(offsets, found, "right") - 1] = True
        if values.null_count:
            odd &= np.asarray(values.is_valid().to_numpy(zero_copy_only=False), bool)
        return odd
