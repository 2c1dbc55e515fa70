"""Fields of lines that all have quotes around the same fields, and no quotes elsewhere.

Most writers quote columns, not single values. Then the positions of quotes and separators in a
block are tables, which are compared column by column.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from broadhead.operators.scan.csv.csv_options import CsvOptions
    from broadhead.operators.scan.text.lines import Lines

_AROUND = 2
"""Quotes of a field."""


@dataclass(frozen=True, slots=True)
class AlikeFields:
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
    def of(cls, lines: Lines, options: CsvOptions) -> AlikeFields | None:
        """The fields of all lines; None if one has others, or quotes that may mean something."""
        escape = options.escape
        escapes = escape is not None and escape != options.quote and escape.encode() in lines.block
        if options.quote is None or options.trims or escapes:
            return None
        quotes = _table(_places(lines, options.quote), lines)
        if quotes is None:
            return None
        separators = _places(lines, options.separator)
        counts = lines.counts_of(separators)
        firsts = np.cumsum(counts) - counts
        last = options.fields - 1
        if counts.min() < last:
            return None
        found = cls(separators, firsts, last, lines.starts, lines.ends, frozenset())
        numbers = found._numbers_of_quoted(quotes[0])
        if numbers is None or not found._are_around(quotes, numbers):
            return None
        # other separators are within the quotes of the last field
        if last not in numbers and counts.max() > last:
            return None
        if options.empty_value != options.null_value:
            opened, closed = quotes[:, ::_AROUND], quotes[:, 1::_AROUND]
            if (closed == opened + 1).any():
                return None
        return replace(found, quoted=frozenset(numbers))

    def span(self, number: int) -> tuple[Any, Any]:
        """Where a field starts and ends in each line, without its quotes."""
        start, end = self._edges(number)
        return (start + 1, end - 1) if number in self.quoted else (start, end)

    def _edges(self, number: int) -> tuple[Any, Any]:
        """The same with the quotes."""
        start = self.separators[self.firsts + (number - 1)] + 1 if number else self.starts
        return start, self.separators[self.firsts + number] if number < self.last else self.ends

    def _numbers_of_quoted(self, quotes: Any) -> list[int] | None:
        """The fields of the first line that start with its opening quotes; None for others."""
        before = [int(self.starts[0]) - 1, *self.separators[: self.last].tolist()]
        opened = quotes[::_AROUND].tolist()
        if any(place - 1 not in before for place in opened):
            return None
        return [before.index(place - 1) for place in opened]

    def _are_around(self, quotes: Any, numbers: list[int]) -> bool:
        """Whether the quotes are the first and last characters of these fields in all lines."""
        for pair, number in enumerate(numbers):
            start, end = self._edges(number)
            opened, closed = quotes[:, _AROUND * pair], quotes[:, _AROUND * pair + 1]
            if not ((opened == start).all() and (closed == end - 1).all()):
                return False
        return True


def _places(lines: Lines, character: str) -> Any:
    """Where the character is in the lines; a header may stand before them."""
    places = np.flatnonzero(lines.characters == ord(character))
    return places[np.searchsorted(places, lines.starts[0]) :]


def _table(places: Any, lines: Lines) -> Any | None:
    """The positions of each line, if all have as many, and an even number."""
    count, rest = divmod(len(places), len(lines))
    if rest or not count or count % _AROUND:
        return None
    table = places.reshape(-1, count)
    inside = (table[:, 0] >= lines.starts).all() and (table[:, -1] < lines.ends).all()
    return table if inside else None
