"""Texts sorted by their form, so that a column with a few odd rows is still read as a column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.decimals import wide

Array = Any
Reader = Callable[[Array], Any]
"""Values of strings of one form; raises `ArrowInvalid` if it cannot read one of them."""
Form = tuple[str, Reader]
"""A regular expression of RE2, and the reader of the strings that match it."""

SPACES = "".join(map(chr, range(33)))
"""What Java's String.trim removes."""
CONTROLS = SPACES + "\x7f"
"""What Spark's UTF8String.trimAll removes."""


def trimmed(data: Array, characters: str) -> Array:
    """Without these ASCII characters at both ends."""
    return views.contiguous(pc.ascii_trim(data, characters=characters))


def consists_of_digits(data: Array, others: str) -> bool:
    """Whether all characters are ASCII digits or among the `others`.

    Casts that fail are slow: Arrow words an error for every row.
    """
    bounds = views.offsets(data)
    start, end = int(bounds[0]), int(bounds[-1])
    if start == end:
        return True
    characters = np.frombuffer(data.buffers()[2], np.uint8, end - start, start)
    known = characters - np.uint8(ord("0")) < 10
    for other in others:
        known |= characters == ord(other)
    return bool(known.all())


def matches(data: Array, pattern: str) -> Array:
    """Mask of the strings that match all of the expression."""
    return logic.is_true(views.contiguous(pc.match_substring_regex(data, f"^(?:{pattern})\\z")))


def by_forms(data: Array, forms: Sequence[Form], otherwise: Reader) -> Array:
    """The values of the strings: each of the first form that it matches, or of `otherwise`."""
    order, parts = parts_of_forms(data, forms, otherwise)
    return joined(order, parts)


def parts_of_forms(
    data: Array, forms: Sequence[Form], otherwise: Reader
) -> tuple[Array | None, list[Any]]:
    """What the readers give, and the order in which `joined` puts the rows of all of it."""
    rows = np.arange(len(data))
    indices, parts = [], []
    for pattern, reader in forms:
        mask = matches(data, pattern)
        if not logic.any(mask):
            continue
        try:
            part = reader(data.filter(mask))
        except pa.ArrowInvalid:
            continue
        chosen = views.values(mask)
        indices.append(rows[chosen])
        parts.append(part)
        if chosen.all():
            break
        rows, data = rows[~chosen], data.filter(pc.invert(mask))
    else:
        indices.append(rows)
        parts.append(otherwise(data))
    if len(parts) == 1:
        return None, parts
    order = np.empty(sum(map(len, indices)), np.int64)
    order[np.concatenate(indices)] = np.arange(len(order))
    return pa.array(order), parts


def joined(order: Array | None, parts: Sequence[Array]) -> Array:
    """The rows of all parts in the order of the strings."""
    if order is None:
        return parts[0]
    return pa.concat_arrays(wide.unify(parts)).take(order)


def distinct_rows(function: Callable[[bytes], Any]) -> Callable[[Array], tuple[list[Any], Array]]:
    """From strings to the value of each distinct one (None for none), and each row's number."""

    def read(data: Array) -> tuple[list[Any], Array]:
        encoded = data.cast(pa.binary()).dictionary_encode()
        return [function(text) for text in encoded.dictionary.to_pylist()], encoded.indices

    return read


def settled(values: Array, data: Array) -> tuple[Array, Array | None]:
    """A checked result: rows of `data` without a value have failed."""
    if values.null_count == data.null_count:
        return values, None
    return values, pc.and_(pc.is_valid(data), pc.is_null(values))
