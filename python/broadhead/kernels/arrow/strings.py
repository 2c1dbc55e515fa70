"""Functions of UTF-8 strings; positions and lengths count code points."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.text.letters import check_cases, check_sigmas
from broadhead.kernels.arrow.text.substrings import Characters, between_characters
from broadhead.kernels.arrow.text.well_formed import check_well_formed

Array = Any
Data = Any

MAX_LENGTH = 2**31 - 1


def length(data: Array) -> Array:
    """Number of code points, int32."""
    check_well_formed(data)
    return views.contiguous(pc.cast(pc.utf8_length(data), pa.int32()))


def byte_length(data: Array) -> Array:
    """Number of bytes, int32; takes strings and binary."""
    return views.contiguous(pc.cast(pc.binary_length(data), pa.int32()))


def upper(data: Array) -> Array:
    """Upper case as Java's String.toUpperCase(Locale.ROOT)."""
    return _case(data, pc.ascii_upper, str.upper)


def lower(data: Array) -> Array:
    """Lower case as Java's String.toLowerCase(Locale.ROOT)."""
    result = _case(data, pc.ascii_lower, str.lower)
    check_sigmas(data)
    return result


def _case(data: Array, ascii_: Callable[..., Any], function: Callable[[str], str]) -> Array:
    """`ascii_` of the ASCII rows, `function` of the others: Python's full mappings are Java's."""
    result = views.contiguous(ascii_(data))
    others = logic.is_true(pc.invert(pc.string_is_ascii(data)))
    if not logic.any(others):
        return result
    rows = data.filter(others)
    check_cases(rows)
    rest = _map(function, rows)
    return views.contiguous(pc.replace_with_mask(result, others, rest))


def _map(
    function: Callable[..., Any], *arrays: Array, data_type: pa.DataType | None = None
) -> Array:
    try:
        rows = zip(*(array.to_pylist() for array in arrays), strict=True)
    except UnicodeDecodeError as error:
        raise EngineLimit(f"a string is not UTF-8: {error}") from error
    results = [None if None in row else function(*row) for row in rows]
    return pa.array(results, data_type or pa.string())


def substring(data: Array, position: Data, length: Data) -> Array:
    """Spark's substring: 1-based, negative positions count from the end."""
    if isinstance(position, pa.Scalar) and isinstance(length, pa.Scalar):
        if not (position.is_valid and length.is_valid):
            return pa.nulls(len(data), pa.string())
        return _constant_substring(data, position.as_py(), length.as_py())
    rows = views.row_count(data, position, length)
    texts, positions, counts = (views.full(given, rows) for given in (data, position, length))
    check_well_formed(texts)
    return _substring(texts, positions, counts)


def _constant_substring(data: Array, position: int, length: int) -> Array:
    check_well_formed(data)
    if length <= 0:
        return views.contiguous(pc.if_else(pc.is_valid(data), "", pa.scalar(None, pa.string())))
    if position >= 0:
        start = max(position - 1, 0)
        stop = min(start + length, MAX_LENGTH)
        return views.contiguous(pc.utf8_slice_codeunits(data, start, stop))
    stop = position + length if position + length < 0 else MAX_LENGTH
    return views.contiguous(pc.utf8_slice_codeunits(data, position, stop))


def _substring(data: Array, position: Array, length: Array) -> Array:
    positions = views.values(position).astype(np.int64)
    counts = Characters(data).counts
    starts = np.where(positions > 0, positions - 1, np.where(positions < 0, counts + positions, 0))
    stops = np.minimum(starts + views.values(length), MAX_LENGTH)
    found = between_characters(data, starts, stops)
    if not position.null_count and not length.null_count:
        return found
    valid = pc.and_(pc.is_valid(position), pc.is_valid(length))
    return views.contiguous(pc.if_else(valid, found, pa.scalar(None, pa.string())))


def concat(data: Sequence[Data]) -> Array:
    """The concatenated strings; null if any is null."""
    if len(data) == 1:
        return data[0]
    separator = pa.scalar("", pa.string())
    try:
        joined = pc.binary_join_element_wise(*data, separator, null_handling="emit_null")
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
        raise EngineLimit(f"concat of {len(data)} columns failed: {error}") from error
    return views.contiguous(joined)


def trim(data: Array, side: str, characters: str) -> Array:
    """Without the leading and trailing characters in `characters`."""
    if not characters:
        return data
    check_well_formed(data)
    functions = {"both": pc.utf8_trim, "leading": pc.utf8_ltrim, "trailing": pc.utf8_rtrim}
    return views.contiguous(functions[side](data, characters=characters))


def like(data: Array, pattern: str, escape: str) -> Array:
    """SQL LIKE."""
    parts = _like_parts(pattern, escape)
    if any(part is ANY_CHARACTER for part in parts):
        check_well_formed(data)
    else:
        texts = [part for part in parts if isinstance(part, str)]
        if all(part is ANY_TEXT for part in parts):
            return views.contiguous(_all_true(data)) if parts else _equals(data, "")
        if len(texts) == len(parts) == 1:
            return _equals(data, texts[0])
        if len(texts) == 1:
            return _one_text(data, parts, texts[0])
        if parts[0] is ANY_TEXT and parts[-1] is ANY_TEXT and len(texts) > 1:
            return _search(data, *texts)
    expression = "".join(
        part.expression if isinstance(part, Wildcard) else _quote(part) for part in parts
    )
    return views.contiguous(pc.match_substring_regex(data, f"(?s)^{expression}\\z"))


SHORT = 24
"""Bytes of strings in which Arrow finds a text faster than RE2, which starts slower."""


class Wildcard:
    """A token of a LIKE pattern that is not literal text."""

    def __init__(self, expression: str) -> None:
        self.expression = expression


ANY_TEXT = Wildcard(r"\C*")
ANY_CHARACTER = Wildcard(".")


def _like_parts(pattern: str, escape: str) -> list[str | Wildcard]:
    parts: list[str | Wildcard] = []
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            part: str | Wildcard = next(characters)
        else:
            part = {"%": ANY_TEXT, "_": ANY_CHARACTER}.get(character, character)
        if part is ANY_TEXT and parts and parts[-1] is ANY_TEXT:
            continue
        if isinstance(part, str) and parts and isinstance(parts[-1], str):
            parts[-1] += part
        else:
            parts.append(part)
    return parts


def _quote(text: str) -> str:
    """An RE2 expression that matches the text (RE2 rejects some escapes of `re.escape`)."""
    return re.sub(r"[\\.^$|?*+()\[\]{}]", r"\\\g<0>", text)


def _all_true(data: Array) -> Array:
    return pc.if_else(pc.is_valid(data), True, pa.scalar(None, pa.bool_()))


def _equals(data: Array, text: str) -> Array:
    return views.contiguous(pc.equal(data, pa.scalar(text, pa.string())))


def _one_text(data: Array, parts: list[str | Wildcard], text: str) -> Array:
    if len(parts) == 3:
        return _search(data, text)
    function = pc.starts_with if isinstance(parts[0], str) else pc.ends_with
    return views.contiguous(function(data, text))


def _search(data: Array, *texts: str) -> Array:
    """Mask of the strings that contain these texts in order."""
    if len(texts) == 1 and _mean_bytes(data) < SHORT:
        return views.contiguous(pc.match_substring(data, texts[0]))
    expression = ANY_TEXT.expression.join(map(_quote, texts))
    return views.contiguous(pc.match_substring_regex(data, f"(?s){expression}"))


def _mean_bytes(data: Array) -> float:
    offsets = data.buffers()[1]
    if not len(data) or offsets is None:
        return 0.0
    first, last = np.frombuffer(offsets, np.int32)[[data.offset, data.offset + len(data)]]
    return float(last - first) / len(data)


def starts_with(data: Data, pattern: Data) -> Array:
    """Whether the string starts with the pattern."""
    return _matches(data, pattern, pc.starts_with, str.startswith)


def ends_with(data: Data, pattern: Data) -> Array:
    """Whether the string ends with the pattern."""
    return _matches(data, pattern, pc.ends_with, str.endswith)


def contains(data: Data, pattern: Data) -> Array:
    """Whether the string contains the pattern."""
    return _matches(data, pattern, _search, str.__contains__)


def _matches(
    data: Data, pattern: Data, kernel: Callable[..., Any], function: Callable[[str, str], bool]
) -> Array:
    if not isinstance(pattern, pa.Scalar):
        return _map(function, views.full(data, len(pattern)), pattern, data_type=pa.bool_())
    if not pattern.is_valid:
        return pa.nulls(len(data), pa.bool_())
    return views.contiguous(kernel(data, pattern.as_py()))
