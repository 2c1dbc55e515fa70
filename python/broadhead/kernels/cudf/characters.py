"""Strings made of other strings, character by character or by substrings.

Computed on the host: libcudf has few of these functions, and reads strings that are not UTF-8 in
another way than Spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pylibcudf import TypeId

from broadhead.kernels.arrow import characters as on_arrow
from broadhead.kernels.cudf import nested
from broadhead.kernels.cudf.host import from_host, on_host, to_host
from broadhead.kernels.cudf.physical import Column, Data, expand, is_scalar
from broadhead.types import STRING, ArrayType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from broadhead.kernels.interface import PadSide


def initcap(data: Column) -> Column:
    """The first character of each word in title case, the others in lower case."""
    return on_host(on_arrow.initcap, data)


def reverse(data: Column) -> Column:
    """The code points in reverse order."""
    return on_host(on_arrow.reverse, data)


def repeat(data: Data, times: Data) -> Column:
    """So many copies of the string, '' for less than one."""
    return on_host(on_arrow.repeat, data, times)


def pad(data: Column, length: Data, fill: str, side: PadSide) -> Column:
    """The first `length` characters, with characters of `fill` added at a side up to that."""
    return on_host(on_arrow.pad, data, length, fill, side)


def position(data: Column, text: str, start: Data) -> Column:
    """Where a text is first found at or behind the position `start`."""
    return on_host(on_arrow.position, data, text, start)


def replace(data: Column, text: str, replacement: str) -> Column:
    """Each occurrence of a text replaced."""
    return on_host(on_arrow.replace, data, text, replacement)


def translate(data: Column, characters: Mapping[str, str]) -> Column:
    """Each of these characters replaced by another one, or by ''."""
    return on_host(on_arrow.translate, data, characters)


def before_delimiter(data: Column, delimiter: str, count: int) -> Column:
    """What stands before the occurrence number `count` of a delimiter, or behind it."""
    return on_host(on_arrow.before_delimiter, data, delimiter, count)


def split(data: Column, delimiter: str, data_type: ArrayType) -> Column:
    """The substrings between the occurrences of a delimiter, as a list."""
    return nested.from_arrow(on_arrow.split(to_host(data), delimiter, data_type), data_type)


def split_part(data: Column, delimiter: str, number: Data) -> Column:
    """Substring `number` of these, from 1, or from the last one if it is negative."""
    return on_host(on_arrow.split_part, data, delimiter, number)


def join(separator: Data, parts: Sequence[Data]) -> Column:
    """Strings, and strings in lists, with a separator between them; nulls are left out."""
    return from_host(on_arrow.join(_part(separator), [_part(part) for part in parts]))


def _part(data: Data) -> pa.Array | pa.Scalar:
    column = expand(data, 1) if is_scalar(data) else data
    if column.type().id() == TypeId.LIST:
        array = nested.to_arrow(column, ArrayType("array", STRING, contains_null=True))
    else:
        array = to_host(column)
    return array[0] if is_scalar(data) else array


def code_point(data: Column) -> Column:
    """The first character's code point, 0 for ''."""
    return on_host(on_arrow.code_point, data)


def of_code(data: Column) -> Column:
    """The character of the lowest byte of an int64, '' for negative ones."""
    return on_host(on_arrow.of_code, data)


def soundex(data: Column) -> Column:
    """The Soundex code of a string that begins with an ASCII letter; others are unchanged."""
    return on_host(on_arrow.soundex, data)


def mask(data: Column, replacements: Mapping[str, str]) -> Column:
    """Letters, digits and others replaced by one character each."""
    return on_host(on_arrow.mask, data, replacements)


def find_in_set(data: Column, words: Sequence[str]) -> Column:
    """The number of the first word that equals the string, from 1; 0 for none."""
    return on_host(on_arrow.find_in_set, data, words)


def levenshtein(left: Column, right: Data) -> Column:
    """The edits that turn one string into the other."""
    return on_host(on_arrow.levenshtein, left, right)


def passes_luhn(data: Column) -> Column:
    """Whether the string is digits whose last one is their Luhn checksum."""
    return on_host(on_arrow.passes_luhn, data)


def quote(data: Column) -> Column:
    """The string in single quotes, with a backslash before those that it has."""
    return on_host(on_arrow.quote, data)
