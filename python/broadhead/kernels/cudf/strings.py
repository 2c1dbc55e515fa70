"""Functions of UTF-8 strings; positions and lengths count code points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pylibcudf as plc
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.strings import attributes, case, combine, find, slice, strip
from pylibcudf.strings import contains as patterns
from pylibcudf.strings.side_type import SideType

from broadhead.kernels.arrow import strings as arrow_strings
from broadhead.kernels.cudf.host import on_host_where
from broadhead.kernels.cudf.physical import (
    BOOL,
    INT32,
    INT64,
    STRING,
    Column,
    Data,
    binary,
    cast,
    choose,
    constant,
    expand,
    is_scalar,
    is_true,
    length_of,
    null_scalar,
    null_where,
    python_value,
    test,
)
from broadhead.kernels.cudf.well_formed import all_ascii, check_well_formed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_MAX_ROWS = (1 << 31) - 1
_SIDES = {"both": SideType.BOTH, "leading": SideType.LEFT, "trailing": SideType.RIGHT}


def length(data: Column) -> Column:
    """Number of code points, int32."""
    check_well_formed(data)
    return attributes.count_characters(data)


def byte_length(data: Column) -> Column:
    """Number of bytes, int32; takes strings and binary."""
    return attributes.count_bytes(data)


def upper(data: Column) -> Column:
    """Upper case as Java's String.toUpperCase(Locale.ROOT), with its multi-character mappings."""
    return _change_case(case.to_upper, arrow_strings.upper, data)


def lower(data: Column) -> Column:
    """Lower case as Java's String.toLowerCase(Locale.ROOT), with the final sigma rule."""
    return _change_case(case.to_lower, arrow_strings.lower, data)


def _change_case(
    device: Callable[[Column], Column], host: Callable[..., object], data: Column
) -> Column:
    """Libcudf maps single code points without context rules: it is used for ASCII only."""
    if all_ascii(data):
        return device(data)
    check_well_formed(data)
    characters = attributes.count_characters(data)
    other = test(characters, BinaryOperator.NOT_EQUAL, byte_length(data))
    return on_host_where(host, is_true(other), data, device(data))


def substring(data: Data, position: Data, length: Data) -> Column:
    """Spark's substring: see the interface."""
    data = expand(data, length_of(data, position, length))
    check_well_formed(data)
    if is_scalar(position) and is_scalar(length):
        at, count = python_value(position), python_value(length)
        if at is None or count is None:
            return expand(null_scalar(STRING), data.size())
        if at >= 0:
            start = max(at - 1, 0)
            return _slice(data, start, min(start + max(count, 0), _MAX_ROWS))
    rows = data.size()
    starts = _start(data, cast(expand(position, rows), INT64))
    stops = binary(starts, BinaryOperator.ADD, cast(expand(length, rows), INT64), INT64)
    unknown = is_true(plc.unary.is_null(stops))
    result = slice.slice_strings(data, _index(starts), _index(stops))
    return null_where(result, unknown) if stops.null_count() else result


def _slice(data: Column, start: int, stop: int) -> Column:
    return slice.slice_strings(
        data, constant(start, INT32), constant(stop, INT32), constant(1, INT32)
    )


def _start(data: Column, position: Column) -> Column:
    """The index of the first character, from 0; negative before the string."""
    zero, one = constant(0, INT64), constant(1, INT64)
    from_start = binary(position, BinaryOperator.SUB, one, INT64)
    characters = cast(attributes.count_characters(data), INT64)
    from_end = binary(characters, BinaryOperator.ADD, position, INT64)
    negative = test(position, BinaryOperator.LESS, zero)
    counted = choose(negative, from_end, from_start)
    return choose(test(position, BinaryOperator.EQUAL, zero), zero, counted)


def _index(data: Column) -> Column:
    """Row by row bounds in libcudf's form: int32, not negative, no nulls."""
    clamped = plc.replace.clamp(data, constant(0, INT64), constant(_MAX_ROWS, INT64))
    if clamped.null_count():
        clamped = plc.replace.replace_nulls(clamped, constant(0, INT64))
    return cast(clamped, INT32)


def concat(data: Sequence[Data]) -> Column:
    """The concatenated strings; null if any is null."""
    rows = length_of(*data)
    if len(data) == 1:
        return expand(data[0], rows)
    return combine.concatenate(
        plc.Table([expand(text, rows) for text in data]),
        constant("", STRING),
        null_scalar(STRING),
    )


def trim(data: Column, side: Literal["both", "leading", "trailing"], characters: str) -> Column:
    """Without the leading and trailing characters in `characters`."""
    if not characters:
        return data
    check_well_formed(data)
    return strip.strip(data, _SIDES[side], constant(characters, STRING))


def like(data: Column, pattern: str, escape: str) -> Column:
    """SQL LIKE, where % and _ match line ends too and `_` is one code point."""
    tokens = list(_tokens(pattern, escape))
    texts = _texts_between_percents(tokens)
    if texts is not None:
        simple = _simple_like(data, texts)
        if simple is not None:
            return simple
    check_well_formed(data)
    used = {character for kind, character in tokens if kind == "text"}
    mark = next(chr(code) for code in range(1, 128) if chr(code) not in {*used, "%", "_"})
    quoted = "".join(
        mark + character if kind == "text" and character in "%_" else character
        for kind, character in tokens
    )
    return patterns.like(data, quoted, mark)


def _tokens(pattern: str, escape: str) -> Iterator[tuple[str, str]]:
    """The tokens of a valid pattern: `text`, `one` (_) or `many` (%)."""
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            yield "text", next(characters)
        else:
            yield {"%": "many", "_": "one"}.get(character, "text"), character


def _texts_between_percents(tokens: Sequence[tuple[str, str]]) -> list[str] | None:
    """The texts between the %; None if the pattern has a _."""
    texts = [""]
    for kind, character in tokens:
        if kind == "one":
            return None
        if kind == "many":
            texts.append("")
        else:
            texts[-1] += character
    return texts


def _simple_like(data: Column, texts: Sequence[str]) -> Column | None:
    """LIKE as one cheap comparison, if the pattern allows it."""
    first, *inner, last = texts if len(texts) > 1 else (texts[0], texts[0])
    inner = [text for text in inner if text]
    if len(texts) == 1:
        return test(data, BinaryOperator.EQUAL, constant(first, STRING))
    if not inner and not last:
        return find.starts_with(data, constant(first, STRING))
    if not inner and not first:
        return find.ends_with(data, constant(last, STRING))
    if len(inner) == 1 and not first and not last:
        return find.contains(data, constant(inner[0], STRING))
    return None


def starts_with(data: Data, pattern: Data) -> Column:
    """Whether the string starts with the pattern; true for ''."""
    return _find(find.starts_with, data, pattern)


def ends_with(data: Data, pattern: Data) -> Column:
    """Whether the string ends with the pattern."""
    return _find(find.ends_with, data, pattern)


def contains(data: Data, pattern: Data) -> Column:
    """Whether the string contains the pattern."""
    return _find(find.contains, data, pattern)


def _find(function: Callable[[Column, Data], Column], data: Data, pattern: Data) -> Column:
    rows = length_of(data, pattern)
    if is_scalar(pattern):
        if not pattern.is_valid():
            return expand(null_scalar(BOOL), rows)
        return function(data, pattern)
    # libcudf gives false, not null, if the pattern of a row is null
    result = function(expand(data, rows), pattern)
    return null_where(result, plc.unary.is_null(pattern)) if pattern.null_count() else result
