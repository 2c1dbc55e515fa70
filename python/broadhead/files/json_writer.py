"""JSON files, an object a line, with the texts of Spark's writer (Jackson), a column at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.files.line_cells import SomeRows, cells_of
from broadhead.files.line_parts import LARGEST_ITEM
from broadhead.files.line_texts import Around, Texts, valid_of
from broadhead.files.line_writer import Lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from broadhead.files.line_cells import Cells
    from broadhead.files.line_parts import Part

    _ToCells = Callable[[pa.Array, Around], Cells]

_ESCAPES = {
    **{code: f"\\u{code:04X}" for code in range(ord(" "))},
    **str.maketrans(
        {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
    ),
}

_NOT_NUMBERS = pa.array(["NaN", "Infinity", "-Infinity"])

_SPECIAL = np.zeros(256, bool)
_SPECIAL[list(_ESCAPES)] = True


class JsonForm:
    """The lines of JSON files.

    `options`: `names` of the columns; their `forms`, which are `plain`, `quoted`, `escaped`
    (quoted, with escapes) and `float` (quoted unless it is a number); `nulls`, whether a null is
    written; `lineSeparator`.
    """

    head = b""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._keys = [f'"{name.translate(_ESCAPES)}":' for name in options["names"]]
        self._forms = options["forms"]
        self._nulls = options["nulls"]
        self._end = "}" + options["lineSeparator"]

    def lines(self, columns: list[pa.Array]) -> Lines:
        """An object for each row."""
        line = _Line(len(columns[0]))
        for key, form, values in zip(self._keys, self._forms, columns, strict=True):
            quote = '"' if form in ("quoted", "escaped") else ""
            texts = _float(values) if form == "float" else values
            cells = _EscapedCells if form == "escaped" else cells_of
            line.add(key, quote, texts, null=f"{key}null" if self._nulls else "", cells=cells)
        return Lines([*line.parts, self._end.encode()], len(columns[0]))


class _Line:
    """The parts of lines, and in which lines there is a field already."""

    def __init__(self, rows: int) -> None:
        self.parts: list[Cells | bytes] = [b"{"]
        self._begun = np.zeros(rows, bool)

    def add(self, key: str, quote: str, texts: pa.Array, *, null: str, cells: _ToCells) -> None:
        """Adds a field to each line, or to those that have a value if `null` is empty."""
        valid = None if null else valid_of(texts)
        comma = ""
        if self._begun.all():
            comma = ","
        elif self._begun.any():
            mask = self._begun if valid is None else self._begun & valid
            self.parts.append(SomeRows(b",", mask))
        absent = comma + null if null else ""
        around = Around((comma + key + quote).encode(), quote.encode(), absent.encode())
        self.parts.append(cells(texts, around))
        self._begun = self._begun | (True if valid is None else valid)


@dataclass(frozen=True, slots=True, eq=False)
class _EscapedCells:
    """Strings, with escapes."""

    values: pa.Array
    around: Around

    def parts(self, start: int, stop: int) -> Iterator[Part]:
        """The texts of some rows."""
        values = self.values.slice(start, stop - start)
        texts = Texts.of(values, self.around)
        characters = texts.data[:-LARGEST_ITEM]
        found = np.flatnonzero(_SPECIAL[characters])
        if len(found):
            odd = np.zeros(len(values), bool)
            odd[np.searchsorted(texts.begins, found, "right") - 1] = True
            if texts.valid is not None:
                odd &= texts.valid
            chosen = values.filter(pa.array(odd)).dictionary_encode()
            known = [value.translate(_ESCAPES) for value in chosen.dictionary.to_pylist()]
            new = pa.array(known, pa.string()).take(chosen.indices)
            texts = texts.replaced(np.flatnonzero(odd), new)
        return texts.parts()


def _float(values: pa.Array) -> pa.Array:
    odd = pc.is_in(values, value_set=_NOT_NUMBERS)
    if not pc.any(odd).as_py():
        return values
    return pc.if_else(odd, pc.binary_join_element_wise('"', values, '"', ""), values)
