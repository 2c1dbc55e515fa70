"""Which lines of a block are plain, so that they can be read as columns.

A field of a plain line either does not start with a quote, or is a quote, characters other than
quotes, and a quote: Spark's parser then takes all characters as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from broadhead.operators.scan.csv.csv_options import CsvOptions
    from broadhead.operators.scan.text.lines import Lines

_SPACE = 0x20
_SPACES = bytes(range(_SPACE + 1))
_CARRIAGE_RETURN = 0x0D
_FIRST_OF_BYTE_ORDER_MARK = 0xEF
_ASCII = 0x80


def rows_of(lines: Lines, options: CsvOptions) -> Any:
    """Mask of the lines that are not blank and no comments: Spark's parser sees these alone."""
    first = _first_characters(lines)
    kept = lines.ends > lines.starts
    for number in np.flatnonzero(kept & (first <= _SPACE)):
        kept[number] = bool(lines.line(number).strip(_SPACES))
    if options.comment is not None:
        kept &= first != ord(options.comment)
    return kept


def _first_characters(lines: Lines) -> Any:
    """The first byte of each line, of one without any that which follows."""
    return lines.characters[np.minimum(lines.starts, len(lines.characters) - 1)]


@dataclass(frozen=True, slots=True)
class LineKinds:
    """Masks of lines; None for no such line.

    Attributes
    ----------
    odd
        Lines that only Spark's parser can read.
    quoted
        Lines with a quote.
    """

    odd: Any | None
    quoted: Any | None

    @classmethod
    def of(cls, lines: Lines, options: CsvOptions, *, count: bool) -> LineKinds:
        """The kinds of the lines; with `count`, also of those without a quote by their fields."""
        masks = [*_unusual_characters(lines, options)]
        sizes = lines.ends - lines.starts
        if options.most_characters >= 0:
            masks.append(sizes >= options.most_characters)
        quoted = None
        if options.quote is not None and options.quote.encode() in lines.block:
            quoted = _has(lines, ord(options.quote))
        if quoted is not None or count:
            masks.append(_other_fields(lines, options, has_quotes=quoted is not None))
        if quoted is not None:
            masks.extend(quoted & mask for mask in _unusual_if_quoted(lines, options))
        masks = [mask for mask in masks if mask.any()]
        return cls(np.logical_or.reduce(masks) if masks else None, quoted)


def _has(lines: Lines, character: int) -> Any:
    return _counts(lines, lines.characters == character) > 0


def _counts(lines: Lines, places: Any) -> Any:
    """How many of the places each line has; lines follow each other without other bytes."""
    start = int(lines.starts[0])
    return np.add.reduceat(places[start:], lines.starts - start, dtype=np.int64)


def _unusual_characters(lines: Lines, options: CsvOptions) -> list[Any]:
    """Masks of lines with characters that Spark's parser replaces or treats in its own way."""
    masks = []
    if b"\0" in lines.block:
        masks.append(_has(lines, 0))
    if not options.any_line_end and b"\r" in lines.block:
        masks.append(_has(lines, _CARRIAGE_RETURN))
    first = _first_characters(lines)
    if options.comment is not None and options.trims_start:
        masks.append(first <= _SPACE)
    if not lines.block.isascii():
        masks.append(first == _FIRST_OF_BYTE_ORDER_MARK)
        if not _is_utf8(lines.block):
            masks.append(_malformed(lines))
    return masks


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _malformed(lines: Lines) -> Any:
    found = _counts(lines, lines.characters >= _ASCII) > 0
    for number in np.flatnonzero(found):
        found[number] = not _is_utf8(lines.line(number))
    return found


def _unusual_if_quoted(lines: Lines, options: CsvOptions) -> list[Any]:
    """Masks of lines whose quoted fields Spark's parser may change."""
    masks = []
    if options.escape is not None and options.escape != options.quote:
        escape = ord(options.escape)
        masks.append(_has(lines, escape))
    if options.trims:
        masks.append(_counts(lines, lines.characters <= _SPACE) > _ends(lines))
    return masks


def _ends(lines: Lines) -> Any:
    """How many bytes end each line."""
    following = np.append(lines.starts[1:], len(lines.block))
    return following - lines.ends


def _other_fields(lines: Lines, options: CsvOptions, *, has_quotes: bool) -> Any:
    """Lines that have more or fewer fields than the table, or quotes elsewhere than around them."""
    characters = lines.characters
    separator = characters == ord(options.separator)
    if not has_quotes or options.quote is None:
        return _counts(lines, separator) != options.fields - 1
    quote = characters == ord(options.quote)
    start = int(lines.starts[0])
    special = separator | quote
    special[:start] = False
    places = np.flatnonzero(special)
    counts = _counts(lines, special)
    row = np.repeat(np.arange(len(lines)), counts)
    is_quote = quote[places]
    # the number of quotes in the line up to the place
    before = np.concatenate([[0], np.cumsum(is_quote)])
    number = before[1:] - np.repeat(before[np.cumsum(counts) - counts], counts)
    outside = ~is_quote & (number % 2 == 0)
    odd = np.bincount(row[outside], minlength=len(lines)) != options.fields - 1
    odd[row[is_quote & ~_around_fields(lines, options, separator, places, row, number)]] = True
    odd |= np.bincount(row[is_quote], minlength=len(lines)) % 2 == 1
    return odd


def _around_fields(
    lines: Lines, options: CsvOptions, separator: Any, places: Any, row: Any, number: Any
) -> Any:
    """Whether quotes at these places would open or close a field, by their number in the line."""
    is_open = number % 2 == 1
    starts = (places == lines.starts[row]) | separator[places - 1]
    following = np.minimum(places + 1, len(separator) - 1)
    ends = (places + 1 == lines.ends[row]) | separator[following]
    if options.empty_value != options.null_value and options.quote is not None:
        starts &= lines.characters[following] != ord(options.quote)
    return np.where(is_open, starts, ends)
