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
_LINE_FEED = 0x0A
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
    """Lines that only Spark's parser can read, as a mask; None for no such line.

    `has_quotes` says whether a line has a quote.
    """

    odd: Any | None
    has_quotes: bool

    @classmethod
    def of(
        cls, lines: Lines, options: CsvOptions, *, count: bool, quotes_known: bool = False
    ) -> LineKinds:
        """The kinds of the lines; with `count`, also by the numbers of their fields.

        `quotes_known` says that the quotes of all lines are as in plain ones.
        """
        masks = _unusual_characters(lines, options)
        if options.most_characters >= 0:
            masks.append(lines.ends - lines.starts >= options.most_characters)
        quoted = None if quotes_known else wrongly_quoted(lines, options)
        has_quotes = quotes_known or quoted is not None
        if quoted is not None:
            masks.append(quoted)
        if count:
            odd = np.logical_or.reduce([np.zeros(len(lines), bool), *masks])
            masks.append(_with_other_fields(lines, options, odd))
        masks = [mask for mask in masks if mask.any()]
        return cls(np.logical_or.reduce(masks) if masks else None, has_quotes)


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


def wrongly_quoted(lines: Lines, options: CsvOptions) -> Any | None:
    """Mask of the lines whose quotes are not as in plain ones; None for no quote."""
    if options.quote is None or options.quote.encode() not in lines.block:
        return None
    quotes = np.flatnonzero(lines.characters == ord(options.quote))
    # a header may stand before the lines
    quotes = quotes[np.searchsorted(quotes, lines.starts[0]) :]
    return _odd_if_quoted(lines, options, quotes, lines.counts_of(quotes))


def _odd_if_quoted(lines: Lines, options: CsvOptions, quotes: Any, counts: Any) -> Any:
    """Mask of the lines with quotes elsewhere than around fields, or with unusual characters.

    `quotes` are the positions of the quotes, `counts` the number of each line's.
    """
    odd = counts % 2 == 1
    if odd.any():
        quotes = quotes[~np.repeat(odd, counts)]
    opened, closed = quotes[::2], quotes[1::2]
    edges = np.zeros(256, bool)
    edges[[ord(options.separator), _CARRIAGE_RETURN, _LINE_FEED]] = True
    characters = lines.characters
    last = len(characters) - 1
    wrong = ~edges[characters[opened - 1]] & (opened > 0)
    wrong |= ~edges[characters[np.minimum(closed + 1, last)]] & (closed < last)
    if options.empty_value != options.null_value:
        wrong |= closed == opened + 1
    if wrong.any():
        odd |= lines.counts_of(opened[wrong]) > 0
    escape = options.escape
    if escape is not None and escape != options.quote and escape.encode() in lines.block:
        odd |= lines.having(ord(escape)) & (counts > 0)
    if options.trims:
        spaces = lines.counts_of(np.flatnonzero(characters <= _SPACE))
        odd |= (spaces > lines.following() - lines.ends) & (counts > 0)
    return odd


def _with_other_fields(lines: Lines, options: CsvOptions, odd: Any) -> Any:
    """Mask of the lines that are not odd and have more or fewer fields than the table."""
    result = np.zeros(len(lines), bool)
    if not odd.all():
        others = lines.where(~odd)
        counts = others.counts_of(separators_outside_quotes(others, options))
        result[~odd] = counts != options.fields - 1
    return result


def separators_outside_quotes(lines: Lines, options: CsvOptions) -> Any:
    """Positions of the separators between fields; quotes stand around whole fields."""
    characters = lines.characters
    separators = characters == ord(options.separator)
    if options.quote is None or options.quote.encode() not in lines.block:
        return np.flatnonzero(separators)
    quote = ord(options.quote)
    positions = np.flatnonzero(separators | (characters == quote))
    is_quote = characters[positions] == quote
    numbers = np.flatnonzero(is_quote)
    opened, closed = numbers[::2], numbers[1::2]
    around = closed > opened + 1
    if around.any():
        # what is left out besides the quotes: one more from the first, one less from the last
        depths = np.zeros(len(positions), np.int8)
        depths[opened[around]] = 1
        depths[closed[around]] = -1
        is_quote |= np.cumsum(depths, dtype=np.int8) > 0
    return positions[~is_quote]
