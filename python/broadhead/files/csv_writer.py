"""CSV files with the quotes and escapes of Spark's writer (univocity-parsers), a column at a time.

A value is written as it is unless it has a special character, is empty or begins or ends with white
space. Where the rule for such a value is more than quotes around it, `CsvRules.text` applies it to
each distinct value.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.files.line_cells import cells_of
from broadhead.files.line_texts import Around, Texts
from broadhead.files.line_writer import Lines
from broadhead.files.value_texts import texts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from broadhead.files.line_cells import Cells
    from broadhead.files.line_parts import Part

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

    def lines(self, columns: list[pa.Array]) -> Lines:
        """The values of each row with separators and a newline."""
        last = len(columns) - 1
        if not last:
            # The writer leaves out a line without a character.
            columns = [self._filled(texts_of(columns[0]))]
        ends = [self._rules.separator.encode()] * last + [b"\n"]
        cells = [self._column(n, *pair) for n, pair in enumerate(zip(columns, ends, strict=True))]
        return Lines(cells, len(columns[0]))

    def _filled(self, values: pa.Array) -> pa.Array:
        """The values of a single column whose lines have a character."""
        texts = values.dictionary_encode()
        known = [*texts.dictionary.to_pylist(), None]
        filled = pa.array([self._rules.text(value, first=True) != "" for value in known])
        return values.filter(filled.take(texts.indices.fill_null(len(known) - 1)))

    def _column(self, number: int, values: pa.Array, end: bytes) -> Cells:
        first = number == 0
        around = Around(b"", end, self._rules.text(None, first=first).encode() + end)
        if self._plain[number] or values.null_count == len(values):
            return cells_of(values, around)
        return _QuotedCells(self, texts_of(values), around, first)

    def texts(self, values: pa.Array, around: Around, *, first: bool) -> Texts:
        """Texts with quotes and escapes where they need them."""
        texts = Texts.of(values, around)
        traits = self._traits_of(texts, first=first)
        if traits is None:
            return texts
        edge = traits & _EDGE > 0
        odd = (traits & _ODD > 0) | (edge & (traits & _WHITE_QUOTED > 0))
        trimmed = np.flatnonzero(edge & ~odd)
        if len(trimmed):
            texts = texts.trimmed(trimmed, end=self._rules.trims_end)
            odd[trimmed[texts.lengths[trimmed] == 0]] = True
        quoted = (traits & (_QUOTED | _WHITE_QUOTED) > 0) & ~odd
        if quoted.any():
            texts = replace(texts, quote=self._rules.quote.encode(), quoted=quoted)
        if odd.any():
            found = values.filter(pa.array(odd)).dictionary_encode()
            known = [self._rules.text(value, first=first) for value in found.dictionary.to_pylist()]
            new = pa.array(known, pa.string()).take(found.indices)
            texts = texts.replaced(np.flatnonzero(odd), new)
        return texts

    def _traits_of(self, texts: Texts, *, first: bool) -> np.ndarray[Any, Any] | None:
        """The traits of each value; a null has none. None if no value has any."""
        begins, lengths, data = texts.begins, texts.lengths, texts.data
        traits = (lengths == 0).view(np.uint8) * np.uint8(_ODD)
        if self._rules.quote_all:
            traits[:] = _ODD
        else:
            for character, trait in self._traits.items():
                if character in texts.content:
                    offsets = np.flatnonzero(data == ord(character))
                    traits[np.searchsorted(begins, offsets, "right") - 1] |= trait
            # of an empty text, any character, since it is odd anyway
            edge = np.zeros(len(begins), bool)
            if self._rules.trims_start:
                edge |= data[begins] <= ord(" ")
            if self._rules.trims_end:
                edge |= data[begins + lengths - 1] <= ord(" ")
            if edge.any():
                traits |= edge.view(np.uint8) * np.uint8(_EDGE)
            if first:
                traits[data[begins] == ord(self._rules.comment)] |= _ODD
        if texts.valid is not None:
            traits[~texts.valid] = 0
        return traits if traits.any() else None


@dataclass(frozen=True, slots=True, eq=False)
class _QuotedCells:
    """Texts that may need quotes."""

    form: CsvForm
    values: pa.Array
    around: Around
    first: bool

    def parts(self, start: int, stop: int) -> Iterator[Part]:
        """The texts of some rows."""
        values = self.values.slice(start, stop - start)
        return self.form.texts(values, self.around, first=self.first).parts()
