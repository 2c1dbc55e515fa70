"""JSON objects of one form: the same keys in the same order, with the same spaces.

Most files are written so. Then all that stands between the values is the same in each line. The
lines are read a key after the other: where its value ends, what follows must be the next key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.operators.scan.text.characters import MOST_LIKE, WINDOWS, WORD, Characters, Window
from broadhead.operators.scan.text.spans import Spans

if TYPE_CHECKING:
    from broadhead.operators.scan.text.lines import Lines

_MOST_BYTES = 1 << 30
_BEFORE_TEXT = re.compile(rb":[ ]?")
_AFTER_TEXT = re.compile(rb",[ ]?|\}")
_LITERAL = re.compile(rb"(:[ ]?)([-+.0-9a-zA-Z]+)(,[ ]?|\})")
_SPACE, _QUOTE = 0x20, ord('"')
_WORDS_OF_LITERAL, _WORDS_OF_TEXT = 2, 4
"""How many words of most values are enough to find their ends."""
_SHORT_TEXT = 44
"""In the bytes of texts that are not much longer, quotes are found sooner than in all bytes."""


@dataclass(frozen=True, slots=True)
class _Form:
    """How lines are written: constants around the values of `keys`.

    Attributes
    ----------
    keys, are_texts
        For each value its key, and whether it stands in quotes.
    constants
        What stands before each value, and after the last one.
    widths
        How many bytes each value has in the line.
    quotes
        How many quotes the constants have.
    """

    keys: list[bytes]
    are_texts: list[bool]
    constants: list[bytes]
    widths: list[int]
    quotes: int

    @classmethod
    def of(cls, line: bytes) -> _Form | None:
        """The form of a line; None if it has nested values, escapes or unusual spaces."""
        parts = line.split(b'"')
        keys: list[bytes] = []
        are_texts: list[bool] = []
        constants: list[bytes] = []
        widths: list[int] = []
        before, index = parts[0], 1
        if before != b"{" or len(parts) % 2 == 0 or b"\\" in line:
            return None
        while index + 1 < len(parts):
            keys.append(parts[index])
            text = before + b'"' + parts[index] + b'"'
            gap = parts[index + 1]
            is_text = bool(_BEFORE_TEXT.fullmatch(gap)) and index + 3 < len(parts)
            are_texts.append(is_text)
            if is_text:
                constants.append(text + gap + b'"')
                widths.append(len(parts[index + 2]))
                after = parts[index + 3]
                if not _AFTER_TEXT.fullmatch(after):
                    return None
                before, index = b'"' + after, index + 4
            else:
                literal = _LITERAL.fullmatch(gap)
                if literal is None:
                    return None
                constants.append(text + literal[1])
                widths.append(len(literal[2]))
                before, index = literal[3], index + 2
            if before.endswith(b"}") != (index >= len(parts)):
                return None
        if not keys or len(set(keys)) < len(keys):
            return None
        constants.append(before)
        return cls(keys, are_texts, constants, widths, len(parts) - 1)


@dataclass(frozen=True, slots=True)
class Uniform:
    """Lines of one form.

    Attributes
    ----------
    fits
        Mask of these lines.
    texts, literals
        Their values by key: strings without their quotes, and all others, which may be malformed.
    """

    fits: Any
    texts: dict[bytes, Spans]
    literals: dict[bytes, Spans]

    @classmethod
    def of(cls, lines: Lines, varying: set[bytes]) -> Uniform | None:
        """The values of the lines, if at least half of them are written like the first one.

        `varying` are keys whose values are known to have different widths; more are added to it.
        """
        form = _Form.of(lines.line(0)) if len(lines.characters) <= _MOST_BYTES else None
        if form is None:
            return None
        values = _Values(lines, form, varying)
        special = _having_special(lines)
        if special is not None:
            values.keep(~special)
        values.find()
        if values.may_have_quotes:
            quotes = lines.characters == _QUOTE
            if values.rows is not None or np.count_nonzero(quotes) != form.quotes * len(lines):
                counts = lines.counts_of(np.flatnonzero(quotes))
                values.keep((counts if values.rows is None else counts[values.rows]) == form.quotes)
        if 2 * len(values.spans[0].starts) < len(lines):
            return None
        fits = np.full(len(lines), values.rows is None)
        if values.rows is not None:
            fits[values.rows] = True
        texts: dict[bytes, Spans] = {}
        literals: dict[bytes, Spans] = {}
        for key, is_text, spans in zip(form.keys, form.are_texts, values.spans, strict=True):
            (texts if is_text else literals)[key] = spans
        return cls(fits, texts, literals)


class _Values:
    """Where the values of lines stand, found a key after the other.

    Attributes
    ----------
    rows
        Numbers of the lines that have had the form so far; None for all.
    spans
        The values in these lines, for each key.
    may_have_quotes
        Whether there may be a quote in a text, which then ends before.
    """

    def __init__(self, lines: Lines, form: _Form, varying: set[bytes]) -> None:
        self.rows: Any | None = None
        self.spans: list[Spans] = []
        self.may_have_quotes = False
        self._characters = Characters(lines.content, lines.margin)
        self._form = form
        self._varying = varying
        self._positions = lines.starts
        self._line_ends = lines.ends
        self._is_checked = False

    def keep(self, mask: Any) -> None:
        """Leave out the lines where the mask is false."""
        if not mask.all():
            self.rows = np.flatnonzero(mask) if self.rows is None else self.rows[mask]
            self.spans = [spans.where(mask) for spans in self.spans]
            self._positions, self._line_ends = self._positions[mask], self._line_ends[mask]

    def find(self) -> None:
        """The values of all keys."""
        form, last = self._form, len(self._form.keys) - 1
        while len(self.spans) < last:
            number = len(self.spans)
            if form.keys[number] not in self._varying:
                if self._find_expected(number, last):
                    continue
                # lines of another form say nothing about the width of this value
                self._check_constant(number)
                if self._find_expected(number, last) or self._find_expected(number, number + 1):
                    continue
                self._varying.add(form.keys[number])
            self._search(number)
        self._find_last(last)

    def _find_last(self, number: int) -> None:
        """The values of the last key, which end with their lines."""
        form, constant = self._form, self._form.constants[number + 1]
        is_short = form.widths[number] <= _SHORT_TEXT
        if form.are_texts[number] and is_short and not self.may_have_quotes:
            starts, window = self._look(number)
            sizes = window.sizes_before(_QUOTE)
            ends = self._line_ends - len(constant)
            self.may_have_quotes = bool((sizes < 0).any())
            fit = ((sizes < 0) & (starts <= ends)) | (sizes == ends - starts)
        else:
            self.may_have_quotes |= form.are_texts[number]
            self._check_constant(number)
            starts = self._positions + len(form.constants[number])
            ends = self._line_ends - len(constant)
            # the value before may have been found after the end of its line
            fit = starts <= ends
        self.spans.append(Spans(self._characters, starts, ends))
        self.keep(fit)
        self._keep_followed(self.spans[-1].ends, constant)

    def _find_expected(self, number: int, end: int) -> bool:
        """Find the values from this key on, up to one whose width is known to vary.

        False if one has another width in a line, or none can be found so.
        """
        form, pattern, offsets = self._form, _Pattern(), []
        before = len(form.constants[number])
        if not self._is_checked:
            pattern.add(0, form.constants[number])
        start = self._positions + (before - pattern.size)
        for key in range(number, end):
            width, following = form.widths[key], form.constants[key + 1]
            size = pattern.size + width
            if form.keys[key] in self._varying or size + len(following) > MOST_LIKE:
                break
            offsets.append((pattern.size, size))
            pattern.add(width, following)
        rows = self._characters.rows_like(start, pattern.text, pattern.known) if offsets else None
        if rows is None:
            return False
        texts = form.are_texts[number : number + len(offsets)]
        for is_text, (first, last) in zip(texts, offsets, strict=True):
            heads = rows.word_at(first) if last - first <= WORD else None
            self.spans.append(Spans(self._characters, start + first, start + last, heads))
            self.may_have_quotes |= is_text and rows.may_have(_QUOTE, first, last)
        self._positions, self._is_checked = self.spans[-1].ends, True
        return True

    def _search(self, number: int) -> None:
        """Find the values of this key by what follows them."""
        character = self._form.constants[number + 1][0]
        starts, window = self._look(number)
        sizes = self._characters.until(starts, window, self._line_ends, character)
        heads = None if self._form.are_texts[number] else window.heads()
        self.spans.append(Spans(self._characters, starts, starts + sizes, heads))
        self._positions, self._is_checked = self.spans[-1].ends, False

    def _look(self, number: int) -> tuple[Any, Window]:
        """Where the values of this key start, and the words there.

        Lines without the constant before the values are left out.
        """
        form, constant = self._form, self._form.constants[number]
        wanted = _WORDS_OF_TEXT if form.are_texts[number] else _WORDS_OF_LITERAL
        before = -(-len(constant) // WORD)
        if self._is_checked or before + wanted > WINDOWS[-1]:
            self._check_constant(number)
            before = 0
        starts = self._positions + len(constant)
        count = next(count for count in WINDOWS if count >= before + wanted)
        window = self._characters.around(starts, before, count)
        if before:
            same = window.follow(constant)
            if not same.all():
                self.keep(same)
                starts, window = starts[same], Window(window.words[same], before)
        return starts, window

    def _check_constant(self, number: int) -> None:
        """Leave out the lines where the constant before the value of this key does not stand."""
        if not self._is_checked:
            self._keep_followed(self._positions, self._form.constants[number])
            self._is_checked = True

    def _keep_followed(self, positions: Any, constant: bytes) -> None:
        """Leave out the lines where the constant does not stand."""
        self.keep(self._characters.have(positions, constant, near=True))


class _Pattern:
    """A text of which some bytes may be any; `known` has the bits of the others."""

    def __init__(self) -> None:
        self.text = b""
        self.known = b""

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.text)

    def add(self, count: int, constant: bytes) -> None:
        """So many bytes that may be any, and a constant after them."""
        self.text += bytes(count) + constant
        self.known += bytes(count) + b"\xff" * len(constant)


def _having_special(lines: Lines) -> Any | None:
    """Mask of the lines with escapes or control characters; None for none."""
    result = lines.having(ord("\\")) if b"\\" in lines.content else None
    if not lines.may_have_controls:
        return result
    controls = lines.characters < _SPACE
    # what ends the lines
    usual = lines.following() - lines.ends
    if int(np.count_nonzero(controls)) != int(usual.sum()):
        found = lines.counts_of(np.flatnonzero(controls)) > usual
        result = found if result is None else result | found
    return result
