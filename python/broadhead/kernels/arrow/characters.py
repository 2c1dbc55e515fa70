"""Strings made of other strings, character by character or by substrings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.text import letters, padding
from broadhead.kernels.arrow.text.delimited import Delimited
from broadhead.kernels.arrow.text.edits import edits
from broadhead.kernels.arrow.text.occurrences import occurrences
from broadhead.kernels.arrow.text.substrings import (
    between_characters,
    bounds_of,
    characters_before,
    is_ascii,
    substrings,
)
from broadhead.kernels.arrow.text.unicode_text import decoded, encoded, totals
from broadhead.kernels.arrow.text.well_formed import check_well_formed

if TYPE_CHECKING:
    from broadhead.types import ArrayType

Array = Any
Data = Any

_MAX = (1 << 31) - 1
_BYTES = 256


def initcap(data: Array) -> Array:
    """The first character of each word in title case, the others in lower case."""
    check_well_formed(data)
    return letters.initcap(data)


def reverse(data: Array) -> Array:
    """The code points in reverse order."""
    check_well_formed(data)
    return views.contiguous(pc.utf8_reverse(data))


def repeat(data: Data, times: Data) -> Array:
    """So many copies of the string, '' for less than one."""
    rows = views.row_count(data, times)
    if isinstance(times, pa.Scalar) and not times.is_valid:
        return pa.nulls(rows, data.type)
    texts, counts = views.full(data, rows), pc.max_element_wise(times, 0, skip_nulls=False)
    lengths = pc.fill_null(pc.multiply(pc.binary_length(texts).cast(pa.int64()), counts), 0)
    bounds_of(views.values(lengths.cast(pa.int64())))
    return views.contiguous(pc.binary_repeat(texts, counts))


def pad(data: Array, length: Data, fill: str, side: str) -> Array:
    """The first `length` characters, with characters of `fill` added at a side up to that."""
    check_well_formed(data)
    return padding.pad(data, views.full(length, len(data)), fill, side)


def position(data: Array, text: str, start: Data) -> Array:
    """Where a text is first found at or behind the position `start`."""
    check_well_formed(data)
    first = views.full(start, len(data))
    starts = views.values(first).astype(np.int64)
    if not text:
        return views.array((starts > 0).astype(np.int32), pa.int32(), data, first)
    if not len(data) or (starts == 1).all():
        rest, skipped = data, np.zeros(len(data), np.int64)
    else:
        skipped = np.maximum(starts - 1, 0)
        rest = between_characters(data, skipped, np.full(len(data), _MAX))
    found = views.values(pc.fill_null(pc.find_substring(rest, text), -1))
    characters = characters_before(rest, np.maximum(found, 0))
    positions = np.where((found >= 0) & (starts > 0), characters + skipped + 1, 0)
    return views.array(positions.astype(np.int32), pa.int32(), data, first)


def replace(data: Array, text: str, replacement: str) -> Array:
    """Each occurrence of a text replaced."""
    try:
        return views.contiguous(pc.replace_substring(data, text, replacement))
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
        raise EngineLimit(f"replace failed: {error}") from error


def translate(data: Array, characters: Mapping[str, str]) -> Array:
    """Each of these characters replaced by another one, or by ''."""
    if not characters:
        return data
    if is_ascii(data) and all(to.isascii() for to in characters.values()):
        here = {ord(of): to for of, to in characters.items() if of.isascii()}
        return letters.translate_bytes(data, here)
    codes, counts = decoded(data)
    if not len(codes):
        return data
    table = np.arange(max(int(codes.max()), *map(ord, characters)) + 1, dtype=np.uint32)
    dropped = np.zeros(len(table), bool)
    for of, to in characters.items():
        table[ord(of)] = ord(to) if to else 0
        dropped[ord(of)] = not to
    changed = table[codes]
    if dropped.any():
        gone = dropped[codes]
        changed, counts = changed[~gone], counts - totals(gone, counts)
    return encoded(changed, counts, data)


def before_delimiter(data: Array, delimiter: str, count: int) -> Array:
    """What stands before the occurrence number `count` of a delimiter, or behind it."""
    if not delimiter or not count:
        return views.contiguous(pc.if_else(pc.is_valid(data), "", pa.scalar(None, data.type)))
    text = delimiter.encode()
    found, rows = occurrences(data, text)
    counts = np.bincount(rows, minlength=len(data))
    enough = counts >= abs(count)
    bounds = views.offsets(data)
    starts, ends = bounds[:-1].copy(), bounds[1:].copy()
    after = np.cumsum(counts)
    if count > 0:
        ends[enough] = found[(after - counts)[enough] + count - 1]
    else:
        starts[enough] = found[after[enough] + count] + len(text)
    return substrings(data, starts, ends)


def split(data: Array, delimiter: str, data_type: ArrayType) -> Array:
    """The substrings between the occurrences of a delimiter, as a list."""
    check_well_formed(data)
    return Delimited(data, delimiter.encode()).lists(data_type)


def split_part(data: Array, delimiter: str, number: Data) -> Array:
    """Substring `number` of these, from 1, or from the last one if it is negative."""
    check_well_formed(data)
    numbers = views.full(number, len(data))
    if delimiter:
        return Delimited(data, delimiter.encode()).part(numbers)
    alone = pc.equal(pc.abs(numbers.cast(pa.int64())), 1)
    return views.contiguous(pc.if_else(alone, data, pc.if_else(pc.is_valid(data), "", None)))


def join(separator: Data, parts: Sequence[Data]) -> Array:
    """Strings, and strings in lists, with a separator between them; nulls are left out."""
    rows = views.row_count(separator, *parts)
    texts = [_joined(part, separator) for part in parts]
    # Arrow leaves rows out in which all parts are null
    some = reduce(pc.or_, [pc.is_valid(views.full(text, rows)) for text in texts], pa.scalar(False))
    texts = [pc.if_else(some, text, "") for text in texts[:1]] + texts[1:]
    if not texts:
        texts = [views.full(pa.scalar("", pa.string()), rows)]
    try:
        joined = pc.binary_join_element_wise(*texts, separator, null_handling="skip")
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
        raise EngineLimit(f"concat_ws of {len(parts)} columns failed: {error}") from error
    return views.full(joined, rows) if isinstance(joined, pa.Scalar) else views.contiguous(joined)


def _joined(part: Data, separator: Data) -> Data:
    """The strings of a list with separators; null for a list without strings."""
    if isinstance(part, pa.Scalar) and pa.types.is_list(part.type):
        part = pa.array([part.as_py()], part.type)
        return views.full(_joined_lists(part, separator)[0], 1)[0]
    return _joined_lists(part, separator) if pa.types.is_list(part.type) else part


def _joined_lists(lists: Array, separator: Data) -> Array:
    bounds = views.offsets(lists)
    items = lists.values.slice(bounds[0], bounds[-1] - bounds[0])
    kept = np.zeros(len(items) + 1, np.int32)
    np.cumsum(views.values(pc.is_valid(items)), out=kept[1:])
    own = kept[bounds - bounds[0]]
    plain = pa.ListArray.from_arrays(pa.array(own), items.drop_null())
    joined = pc.binary_join(plain, separator)
    empty = views.array(np.diff(own) == 0, pa.bool_())
    missing = pc.or_(pc.is_null(lists), empty)
    return views.contiguous(pc.if_else(missing, pa.scalar(None, pa.string()), joined))


def code_point(data: Array) -> Array:
    """The first character's code point, 0 for ''."""
    first = between_characters(data, np.zeros(len(data), np.int64), np.ones(len(data), np.int64))
    codes, counts = decoded(first)
    values = np.zeros(len(data), np.int32)
    values[counts > 0] = codes
    return views.array(values, pa.int32(), data)


def of_code(data: Array) -> Array:
    """The character of the lowest byte of an int64, '' for negative ones."""
    table = pa.array([*map(chr, range(_BYTES)), ""])
    numbers = views.values(data)
    indices = np.where(numbers < 0, _BYTES, numbers & (_BYTES - 1))
    return table.take(views.array(indices, pa.int64(), data))


def soundex(data: Array) -> Array:
    """The Soundex code of a string that begins with an ASCII letter; others are unchanged."""
    return letters.soundex(data)


def mask(data: Array, replacements: Mapping[str, str]) -> Array:
    """Letters, digits and others replaced by one character each."""
    check_well_formed(data)
    return letters.mask(data, replacements)


def find_in_set(data: Array, words: Sequence[str]) -> Array:
    """The number of the first word that equals the string, from 1; 0 for none."""
    first = {word: number for number, word in reversed(list(enumerate(words, 1)))}
    numbers = pa.array([*first.values(), 0], pa.int32())
    indices = pc.index_in(data, value_set=pa.array(list(first), pa.string()))
    found = numbers.take(pc.fill_null(indices, len(first)))
    return views.array(views.values(found), pa.int32(), data)


def passes_luhn(data: Array) -> Array:
    """Whether the string is digits whose last one is their Luhn checksum."""
    if not is_ascii(data):
        codes, _ = decoded(data)
        others = np.unique(codes[codes >= 0x80])
        if any(letters.may_be_digit(chr(code)) for code in others.tolist()):
            raise EngineLimit("luhn_check of digits that are not ASCII")
    return letters.passes_luhn(data)


def quote(data: Array) -> Array:
    """The string in single quotes, with a backslash before those that it has."""
    check_well_formed(data)
    escaped = replace(data, "'", "\\'")
    return views.contiguous(pc.binary_join_element_wise("'", escaped, "'", ""))


def levenshtein(left: Array, right: Data) -> Array:
    """The edits that turn one string into the other."""
    other = views.full(right, len(left))
    return views.array(edits(left, other), pa.int32(), left, other)
