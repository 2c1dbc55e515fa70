"""JSON objects of one form: the same keys in the same order, with the same spaces.

Most files are written so. Then all that stands between the values is the same in each line, and
the positions of the ends of keys tell where.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.operators.scan.text.characters import Characters, places_of
from broadhead.operators.scan.text.spans import Spans

if TYPE_CHECKING:
    from broadhead.operators.scan.text.lines import Lines

_MOST_BYTES = 1 << 30
_BEFORE_TEXT = re.compile(rb":[ ]?")
_AFTER_TEXT = re.compile(rb",[ ]?|\}")
_LITERAL = re.compile(rb"(:[ ]?)[-+.0-9a-zA-Z]+(,[ ]?|\})")
_SPACE, _QUOTE, _COLON = 0x20, ord('"'), ord(":")


@dataclass(frozen=True, slots=True)
class _Constant:
    """What stands in all lines between two values.

    Attributes
    ----------
    text
        Its bytes.
    key
        The number of the key to whose end it is bound; None for the end of the line.
    offset
        How many bytes before this place it starts.
    """

    text: bytes
    key: int | None
    offset: int


@dataclass(frozen=True, slots=True)
class _Form:
    """How lines are written: constants around the values of `keys`."""

    keys: list[bytes]
    are_texts: list[bool]
    constants: list[_Constant]
    quotes: int

    @property
    def before_texts(self) -> set[int]:
        """What stands before the quotes in front of texts."""
        pairs = zip(self.constants, self.are_texts, strict=False)
        return {constant.text[-2] for constant, is_text in pairs if is_text}

    @classmethod
    def of(cls, line: bytes) -> _Form | None:
        """The form of a line; None if it has nested values, escapes or unusual spaces."""
        parts = line.split(b'"')
        keys: list[bytes] = []
        are_texts: list[bool] = []
        constants: list[_Constant] = []
        before, place = parts[0], 1
        if before != b"{" or len(parts) % 2 == 0 or b"\\" in line:
            return None
        while place + 1 < len(parts):
            keys.append(parts[place])
            text = before + b'"' + parts[place] + b'"'
            gap, key = parts[place + 1], len(constants)
            offset = len(text) - 1
            is_text = bool(_BEFORE_TEXT.fullmatch(gap)) and place + 3 < len(parts)
            are_texts.append(is_text)
            if is_text:
                constants.append(_Constant(text + gap + b'"', key, offset))
                after = parts[place + 3]
                if not _AFTER_TEXT.fullmatch(after):
                    return None
                before, place = b'"' + after, place + 4
            else:
                literal = _LITERAL.fullmatch(gap)
                if literal is None:
                    return None
                constants.append(_Constant(text + literal[1], key, offset))
                before, place = literal[2], place + 2
            if before.endswith(b"}") != (place >= len(parts)):
                return None
        if not keys or len(set(keys)) < len(keys):
            return None
        constants.append(_Constant(before, None, len(before)))
        return cls(keys, are_texts, constants, len(parts) - 1)


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
    def of(cls, lines: Lines) -> Uniform | None:
        """The values of the lines, if they are written like the first one."""
        form = _Form.of(lines.line(0)) if len(lines.block) <= _MOST_BYTES else None
        if form is None:
            return None
        quotes = lines.characters == _QUOTE
        placed = _by_line(lines, _ends_of_keys(lines, form, quotes), len(form.keys))
        if placed is None:
            return None
        ends, fits = placed
        characters = Characters(lines.block)
        starts = [
            (lines.ends if constant.key is None else ends[constant.key]) - constant.offset
            for constant in form.constants
        ]
        fits &= starts[0] == lines.starts
        for constant, start in zip(form.constants, starts, strict=True):
            fits &= characters.have(start, constant.text, before=constant.offset)
        special = _having_special(lines)
        if special is not None:
            fits &= ~special
        for number, is_text in enumerate(form.are_texts):
            # a literal without a character is none
            if is_text:
                first = starts[number] + len(form.constants[number].text)
                fits &= first <= starts[number + 1]
        # no value has a quote where there are no more than around keys and texts
        if not (fits.all() and np.count_nonzero(quotes) == form.quotes * len(lines)):
            fits &= lines.counts_of(np.flatnonzero(quotes)) == form.quotes
        texts: dict[bytes, Spans] = {}
        literals: dict[bytes, Spans] = {}
        starts = starts if fits.all() else [start[fits] for start in starts]
        for number, (key, is_text) in enumerate(zip(form.keys, form.are_texts, strict=True)):
            first = starts[number] + len(form.constants[number].text)
            (texts if is_text else literals)[key] = Spans(characters, first, starts[number + 1])
        return cls(fits, texts, literals)


def _ends_of_keys(lines: Lines, form: _Form, quotes: Any) -> Any:
    """Positions of the quotes before colons, without those that begin texts."""
    characters = lines.characters
    mask = characters[1:] == _COLON
    mask &= quotes[:-1]
    places = places_of(mask)
    if len(places) != len(lines) * len(form.keys):
        before = characters[places - 1]
        for character in form.before_texts:
            places, before = places[before != character], before[before != character]
    return places


def _by_line(lines: Lines, ends: Any, count: int) -> tuple[Any, Any] | None:
    """The positions of each line's ends of keys, a row for each number of a key.

    A mask has the lines that have so many keys; None for fewer than half of them.
    """
    if len(ends) == len(lines) * count:
        table = ends.reshape(-1, count)
        if (table[:, 0] >= lines.starts).all() and (table[:, -1] < lines.ends).all():
            return np.ascontiguousarray(table.T), np.ones(len(lines), bool)
    counts = lines.counts_of(ends)
    fits = counts == count
    if 2 * np.count_nonzero(fits) < len(lines):
        return None
    first = np.cumsum(counts) - counts
    # lines with other keys have positions without meaning
    first = np.minimum(first, len(ends) - count)
    return np.stack([ends[first + number] for number in range(count)]), fits


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
