"""JSON objects of one form: the same keys in the same order, with the same spaces.

Most files are written so. Then all that stands between the values is the same in each line. The
lines are read a key after the other: where its value ends, what follows must be the next key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.operators.scan.text.characters import MOST_LIKE, WORD, Characters
from broadhead.operators.scan.text.spans import Spans

if TYPE_CHECKING:
    from broadhead.operators.scan.text.lines import Lines

_MOST_BYTES = 1 << 30
_BEFORE_TEXT = re.compile(rb":[ ]?")
_AFTER_TEXT = re.compile(rb",[ ]?|\}")
_LITERAL = re.compile(rb"(:[ ]?)([-+.0-9a-zA-Z]+)(,[ ]?|\})")
_SPACE, _QUOTE = 0x20, ord('"')


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
        before, place = parts[0], 1
        if before != b"{" or len(parts) % 2 == 0 or b"\\" in line:
            return None
        while place + 1 < len(parts):
            keys.append(parts[place])
            text = before + b'"' + parts[place] + b'"'
            gap = parts[place + 1]
            is_text = bool(_BEFORE_TEXT.fullmatch(gap)) and place + 3 < len(parts)
            are_texts.append(is_text)
            if is_text:
                constants.append(text + gap + b'"')
                widths.append(len(parts[place + 2]))
                after = parts[place + 3]
                if not _AFTER_TEXT.fullmatch(after):
                    return None
                before, place = b'"' + after, place + 4
            else:
                literal = _LITERAL.fullmatch(gap)
                if literal is None:
                    return None
                constants.append(text + literal[1])
                widths.append(len(literal[2]))
                before, place = literal[3], place + 2
            if before.endswith(b"}") != (place >= len(parts)):
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
        form = _Form.of(lines.line(0)) if len(lines.block) <= _MOST_BYTES else None
        if form is None:
            return None
        values = _Values(lines, form, varying)
        special = _having_special(lines)
        if special is not None:
            values.keep(~special)
        values.find()
        # without a quote in a value, no other values are possible
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
    """

    def __init__(self, lines: Lines, form: _Form, varying: set[bytes]) -> None:
        self.rows: Any | None = None
        self.spans: list[Spans] = []
        self._characters = Characters(lines.block)
        self._form = form
        self._varying = varying
        self._places = lines.starts
        self._line_ends = lines.ends

    def keep(self, mask: Any) -> None:
        """Leave out the lines where the mask is false."""
        if not mask.all():
            self.rows = np.flatnonzero(mask) if self.rows is None else self.rows[mask]
            self.spans = [spans.where(mask) for spans in self.spans]
            self._places, self._line_ends = self._places[mask], self._line_ends[mask]

    def find(self) -> None:
        """The values of all keys."""
        form, last = self._form, len(self._form.keys) - 1
        self._keep_followed(self._places, form.constants[0])
        while len(self.spans) < last:
            number = len(self.spans)
            if not (self._find_expected(number, last) or self._find_expected(number, number + 1)):
                self._varying.add(form.keys[number])
                self._search(number)
        starts = self._places + len(form.constants[last])
        ends = self._line_ends - len(form.constants[-1])
        self.spans.append(Spans(self._characters, starts, ends))
        # the value before may have been found after the end of its line
        self.keep(starts <= ends)
        self._keep_followed(self.spans[-1].ends, form.constants[-1])

    def _find_expected(self, number: int, end: int) -> bool:
        """Find the values from this key on, up to one whose width is known to vary.

        False if one has another width in a line, or none can be found so.
        """
        form, pattern, offsets = self._form, _Pattern(), []
        for key in range(number, end):
            width, following = form.widths[key], form.constants[key + 1]
            size = pattern.size + width
            if form.keys[key] in self._varying or size + len(following) > MOST_LIKE:
                break
            offsets.append((pattern.size, size))
            pattern.add(width, following)
        starts = self._places + len(form.constants[number])
        if not offsets or not self._characters.like(starts, *pattern.words()).all():
            return False
        parts = [(starts + first, starts + last) for first, last in offsets]
        self.spans += [Spans(self._characters, first, last) for first, last in parts]
        self._places = self.spans[-1].ends
        return True

    def _search(self, number: int) -> None:
        """Find the values of this key by what follows them."""
        constant, following = self._form.constants[number : number + 2]
        starts = self._places + len(constant)
        heads = self._characters.words(starts)
        sizes = self._characters.until(starts, heads, self._line_ends, following[0])
        self.spans.append(Spans(self._characters, starts, starts + sizes, heads))
        self._places = self.spans[-1].ends
        self._keep_followed(self._places, following)

    def _keep_followed(self, places: Any, constant: bytes) -> None:
        """Leave out the lines where the constant does not stand."""
        self.keep(self._characters.have(places, constant, near=True))


class _Pattern:
    """Bytes of which some may be any: the known ones, and a mask of these."""

    def __init__(self) -> None:
        self._text = b""
        self._known = b""

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self._text)

    def add(self, count: int, constant: bytes) -> None:
        """So many bytes that may be any, and a constant after them."""
        self._text += bytes(count) + constant
        self._known += bytes(count) + b"\xff" * len(constant)

    def words(self) -> tuple[Any, Any]:
        """The bytes and the mask, in words."""
        rest = bytes(-len(self._text) % WORD)
        return np.frombuffer(self._text + rest, "<u8"), np.frombuffer(self._known + rest, "<u8")


def _having_special(lines: Lines) -> Any | None:
    """Mask of the lines with escapes or control characters; None for none."""
    result = lines.having(ord("\\")) if b"\\" in lines.block else None
    if not lines.may_have_controls:
        return result
    controls = lines.characters < _SPACE
    # what ends the lines
    usual = lines.following() - lines.ends
    if int(np.count_nonzero(controls)) != int(usual.sum()):
        found = lines.counts_of(np.flatnonzero(controls)) > usual
        result = found if result is None else result | found
    return result
