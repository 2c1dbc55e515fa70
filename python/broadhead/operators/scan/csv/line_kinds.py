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


def rows_of(lines: Lines, options: CsvOptions) -> Any:
    """Mask of the lines that are not blank and no comments: Spark's parser sees these alone."""
    first = _first_characters(lines)
    kept = lines.ends > lines.starts
    for number in np.flatnonzero(kept & (first <= _SPACE)).tolist():
        kept[number] = bool(lines.line(number).strip(_SPACES))
    if options.comment is not None:
        kept &= first != ord(options.comment)
    return kept


def _first_characters(lines: Lines) -> Any:
    """The first byte of each line, of an empty line the one after it."""
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
        masks = _unusual_characters(lines, options)
        if options.most_characters >= 0:
            masks.append(lines.ends - lines.starts >= options.most_characters)
        quoted = None
        if options.quote is not None and options.quote.encode() in lines.block:
            quoted = lines.having(ord(options.quote))
            odd = np.zeros(len(lines), bool)
            if quoted.any():
                odd[quoted] = _odd_if_quoted(lines.where(quoted), options, options.quote)
            masks.append(odd)
        if count:
            separators = np.flatnonzero(lines.characters == ord(options.separator))
            other = lines.counts_of(separators) != options.fields - 1
            masks.append(other if quoted is None else other & ~quoted)
        masks = [mask for mask in masks if mask.any()]
        return cls(np.logical_or.reduce(masks) if masks else None, quoted)


def _unusual_characters(lines: Lines, options: CsvOptions) -> list[Any]:
    """Masks of lines with characters that Spark's parser replaces or treats in its own way."""
    masks = []
    if b"\0" in lines.block:
        masks.append(lines.having(0))
    if not options.any_line_end and b"\r" in lines.block:
        masks.append(lines.having(_CARRIAGE_RETURN))
    first = _first_characters(lines)
    if options.comment is not None and options.trims_start:
        masks.append(first <= _SPACE)
    if not lines.block.isascii():
        masks.append(first == _FIRST_OF_BYTE_ORDER_MARK)
        masks.append(lines.malformed())
    return masks


def _odd_if_quoted(lines: Lines, options: CsvOptions, quote: str) -> Any:
    """Mask of the odd lines among lines that have quotes."""
    odd = _other_fields(lines, options, ord(quote))
    if options.escape is not None and options.escape != quote:
        odd |= lines.having(ord(options.escape))
    if options.trims:
        spaces = np.flatnonzero(lines.characters <= _SPACE)
        odd |= lines.counts_of(spaces) > lines.following() - lines.ends
    return odd


def _other_fields(lines: Lines, options: CsvOptions, quote: int) -> Any:
    """Lines that have more or fewer fields than the table, or quotes elsewhere than around them."""
    characters = lines.characters
    separators = characters == ord(options.separator)
    places = np.flatnonzero(separators | (characters == quote))
    counts = lines.counts_of(places)
    row = np.repeat(np.arange(len(lines)), counts)
    is_quote = characters[places] == quote
    # the number of quotes in the line up to the place
    before = np.concatenate([[0], np.cumsum(is_quote)])
    number = before[1:] - np.repeat(before[np.cumsum(counts) - counts], counts)
    outside = ~is_quote & (number % 2 == 0)
    odd = np.bincount(row[outside], minlength=len(lines)) != options.fields - 1
    odd |= np.bincount(row[is_quote], minlength=len(lines)) % 2 == 1
    places, row, number = places[is_quote], row[is_quote], number[is_quote]
    odd[row[~_around_fields(lines, options, separators, places, row, number)]] = True
    return odd


def _around_fields(
    lines: Lines, options: CsvOptions, separators: Any, places: Any, row: Any, number: Any
) -> Any:
    """Whether quotes at these places would open or close a field, by their number in the line."""
    starts = (places == lines.starts[row]) | separators[places - 1]
    following = np.minimum(places + 1, len(separators) - 1)
    ends = (places + 1 == lines.ends[row]) | separators[following]
    if options.empty_value != options.null_value and options.quote is not None:
        starts &= lines.characters[following] != ord(options.quote)
    return np.where(number % 2 == 1, starts, ends)
