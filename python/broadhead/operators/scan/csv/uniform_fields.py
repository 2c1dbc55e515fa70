"""Fields of lines that all have quotes around the same fields, and no quotes elsewhere.

Most writers quote columns, not single values. Then a look at the ends of the fields is enough,
instead of one at each separator and quote.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from broadhead.operators.scan.csv.csv_options import CsvOptions
    from broadhead.operators.scan.text.lines import Lines

_AROUND = 2
"""Quotes of a field, which are its size if it is empty."""

_ALL = slice(None)


@dataclass(frozen=True, slots=True)
class UniformFields:
    """Where the fields of such lines are.

    Attributes
    ----------
    separators
        The positions of all separators in the block, of which those of the lines' last fields are
        none.
    firsts
        The number of each line's first separator.
    last
        The number of the last field.
    starts, ends
        Positions of the lines.
    quoted
        The numbers of the fields with quotes.
    """

    separators: Any
    firsts: Any
    last: int
    starts: Any
    ends: Any
    quoted: frozenset[int]

    @classmethod
    def of(cls, lines: Lines, options: CsvOptions) -> UniformFields | None:
        """The fields of all lines; None if one has others, or quotes that may mean something."""
        escape = options.escape
        escapes = escape is not None and escape != options.quote and escape.encode() in lines.block
        if options.quote is None or options.trims or escapes:
            return None
        first = int(lines.starts[0])  # a header may stand before the lines
        characters = lines.characters
        separators = np.flatnonzero(characters[first:] == ord(options.separator)) + first
        counts = lines.counts_of(separators)
        last = options.fields - 1
        if counts.min() < last:
            return None
        firsts = np.cumsum(counts) - counts
        fields = cls(separators, firsts, last, lines.starts, lines.ends, frozenset())
        quotes = characters == ord(options.quote)
        quoted = fields._quoted(quotes, allow_empty=options.empty_value == options.null_value)
        # other separators are within the quotes of the last field
        if not quoted or (last not in quoted and counts.max() > last):
            return None
        # no line has fewer quotes, so none has more
        if np.count_nonzero(quotes[first:]) != _AROUND * len(quoted) * len(lines):
            return None
        return replace(fields, quoted=quoted)

    def span(self, number: int) -> tuple[Any, Any]:
        """Where a field starts and ends in each line, without its quotes."""
        start, end = self._edges(number)
        return (start + 1, end - 1) if number in self.quoted else (start, end)

    def _edges(self, number: int, lines: Any = _ALL) -> tuple[Any, Any]:
        """The same with the quotes, in some lines."""
        firsts = self.firsts[lines]
        start = self.separators[firsts + (number - 1)] + 1 if number else self.starts[lines]
        last = number == self.last
        return start, self.ends[lines] if last else self.separators[firsts + number]

    def _quoted(self, quotes: Any, *, allow_empty: bool) -> frozenset[int] | None:
        """The fields that are quoted in the first line; None if one is not in all lines.

        `quotes` is a mask of characters, `allow_empty` says that quotes may have nothing in them.
        """
        found = []
        least = _AROUND if allow_empty else _AROUND + 1
        for number in range(self.last + 1):
            start, end = self._edges(number, 0)
            if start < end and quotes[start]:
                found.append(number)
                start, end = self._edges(number)
                if (end - start).min() < least or not (quotes[start] & quotes[end - 1]).all():
                    return None
        return frozenset(found)
