"""Values that strings stand for, in the grammar of Spark's CAST."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import decimal, logic
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.arrays.layout import UNSCALED, physical_type
from broadhead.kernels.arrow.decimals.exact import from_integers
from broadhead.kernels.arrow.parsing import moments, number_layouts, plain_moments
from broadhead.kernels.arrow.parsing import numbers as number_texts
from broadhead.kernels.arrow.parsing.forms import (
    CONTROLS,
    SPACES,
    by_forms,
    consists_of_digits,
    distinct_rows,
    joined,
    parts_of_forms,
    settled,
    trimmed,
)
from broadhead.types import INTEGRAL_BITS, MAX_PRECISION, DataType

Array = Any
Checked = tuple[Array, Array | None]

_TRUE = pa.array(["t", "true", "y", "yes", "1"])
_FALSE = pa.array(["f", "false", "n", "no", "0"])
_FLOAT = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?"
_DECIMAL = r"[+-]?(?:[0-9]{1,19}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})"


def integers(data: Array, to: DataType, *, fraction: bool) -> Checked:
    """Integers of the type `to`; with `fraction`, digits after a point are cut off."""
    longs = _longs(trimmed(data, CONTROLS), fraction=fraction)
    bits = INTEGRAL_BITS[to.name]
    if bits < INTEGRAL_BITS["long"]:
        raw = views.values(longs)
        outside = (raw < -(2 ** (bits - 1))) | (raw >= 2 ** (bits - 1))
        if outside.any():
            longs = logic.null_where(longs, views.array(outside, pa.bool_()))
    return settled(longs.cast(physical_type(to), safe=False), data)


def _longs(texts: Array, *, fraction: bool) -> Array:
    if consists_of_digits(texts, "-"):
        try:
            return texts.cast(pa.int64())
        except pa.ArrowInvalid:
            pass
    forms = [("[+-]?[0-9]{1,18}", _signed)]
    if fraction:
        forms.append((r"[+-]?[0-9]{1,18}\.[0-9]{0,18}", _before_the_point))
    rows = distinct_rows(partial(number_texts.integer, fraction=fraction))

    def others(rest: Array) -> Array:
        values, indices = rows(rest)
        return pa.array(values, pa.int64()).take(indices)

    return by_forms(texts, forms, others)


def _signed(texts: Array) -> Array:
    return pc.ascii_ltrim(texts, characters="+").cast(pa.int64())


def _before_the_point(texts: Array) -> Array:
    exact, digits = _exact(texts)
    return decimal.to_integer(exact, digits)[0]


def booleans(data: Array) -> Checked:
    """Of t, true, y, yes, 1, f, false, n, no, 0 in any case."""
    words = pc.ascii_lower(trimmed(data, CONTROLS))
    true = pc.is_in(words, value_set=_TRUE)
    known = pc.or_(true, pc.is_in(words, value_set=_FALSE))
    return settled(logic.null_where(true, pc.invert(known)), data)


def floats(data: Array, to: DataType) -> Checked:
    """The nearest float or double, in the grammar of Java's parseDouble and of Spark's words."""
    texts = trimmed(data, SPACES)
    target = physical_type(to)
    if consists_of_digits(texts, "+-.eE"):
        try:
            return texts.cast(target), None
        except pa.ArrowInvalid:
            pass
    one = number_texts.double if target == pa.float64() else number_texts.single

    def others(rest: Array) -> Array:
        values, indices = distinct_rows(one)(rest)
        return pa.array(values, target).take(indices)

    return settled(by_forms(texts, [(_FLOAT, lambda rest: rest.cast(target))], others), data)


def decimals(data: Array, precision: int, scale: int) -> Checked:
    """Unscaled data, rounded to `scale`, in the grammar of Java's BigDecimal."""
    texts = trimmed(data, SPACES)
    if consists_of_digits(texts, "+-."):
        try:
            return settled(_decimals(texts, precision, scale), data)
        except pa.ArrowInvalid:
            pass
    one = partial(number_texts.unscaled, precision=precision, scale=scale)

    def plain(rest: Array) -> Array:
        return _decimals(rest, precision, scale)

    def others(rest: Array) -> Array:
        values, indices = distinct_rows(one)(rest)
        return from_integers(values, precision).take(indices)

    return settled(by_forms(texts, [(_DECIMAL, plain)], others), data)


def _decimals(texts: Array, precision: int, scale: int) -> Array:
    exact, digits = _exact(texts, scale)
    return decimal.rescale(exact, digits, precision, scale)[0]


def _exact(texts: Array, least: int = 0) -> tuple[Array, int]:
    """Decimals as unscaled data with as many digits after the point as are needed, or `least`.

    Raises `ArrowInvalid` if they have too many digits, or are not made of digits and a point.
    """
    points = views.values(pc.find_substring(texts, "."))
    lengths = views.values(pc.binary_length(texts))
    whole = int(np.where(points < 0, lengths, points).max(initial=0))
    after = int(np.where(points < 0, 0, lengths - points - 1).max(initial=0))
    digits = max(after, least)
    # Arrow does not notice when a number with more digits than a decimal has overflows
    if whole + digits > MAX_PRECISION:
        raise pa.ArrowInvalid(f"{whole} digits before the point and {digits} after it")
    return texts.cast(pa.decimal128(MAX_PRECISION, digits)).view(UNSCALED), digits


def dates(data: Array) -> Checked:
    """Dates: `[+-]yyyy[-m[-d]]`; what follows a space or T after the day is not read."""
    texts = trimmed(data, CONTROLS)
    values = plain_moments.all_dates(texts)
    if values is None:
        values = plain_moments.all_dates_with_times(texts)
    if values is None:
        rows = distinct_rows(moments.date)

        def others(rest: Array) -> Array:
            days, indices = rows(rest)
            return pa.array(days, pa.int32()).view(pa.date32()).take(indices)

        values = by_forms(texts, [(plain_moments.DATE, plain_moments.dates)], others)
    return settled(values, data)


def timestamps(data: Array) -> tuple[Array, Array | None, Array | None]:
    """Microseconds: UTC where the mask is true, since the text names its offset, else local."""
    texts = trimmed(data, CONTROLS)
    values = plain_moments.all_local(texts)
    if values is not None:
        return values, None, None
    if (plain := plain_moments.all_zoned(texts)) is not None:
        return _utc(*plain), _all(data, value=True), None
    forms = [
        (plain_moments.LOCAL, lambda rest: (plain_moments.local(rest), _all(rest, value=False))),
        (plain_moments.ZONED, lambda rest: (plain_moments.zoned(rest), _all(rest, value=True))),
    ]
    order, parts = parts_of_forms(texts, forms, _other_timestamps)
    values, zoned = (joined(order, column) for column in zip(*parts, strict=True))
    values, failed = settled(values, data)
    return values, zoned if logic.any(zoned) else None, failed


def _all(texts: Array, *, value: bool) -> Array:
    return views.array(np.full(len(texts), value), pa.bool_())


def _utc(local: Array, offsets: Array | None) -> Array:
    return local if offsets is None else pc.subtract(local, offsets)


def _other_timestamps(texts: Array) -> tuple[Array, Array]:
    found, indices = distinct_rows(moments.timestamp)(texts)
    values = pa.array([None if m is None else m.local - (m.offset or 0) for m in found], pa.int64())
    zoned = pa.array([m is not None and m.offset is not None for m in found], pa.bool_())
    return values.take(indices), logic.is_true(zoned.take(indices))


def local_timestamps(data: Array) -> Checked:
    """Local microseconds of such texts, whatever offset they name."""
    texts = trimmed(data, CONTROLS)
    values = plain_moments.all_local(texts)
    if values is None and (plain := plain_moments.all_zoned(texts)) is not None:
        values = plain[0]
    if values is None:
        rows = distinct_rows(moments.local_timestamp)

        def others(rest: Array) -> Array:
            micros, indices = rows(rest)
            return pa.array(micros, pa.int64()).take(indices)

        forms = [
            (plain_moments.LOCAL, plain_moments.local),
            (plain_moments.ZONED, plain_moments.without_zone),
        ]
        values = by_forms(texts, forms, others)
    return settled(values, data)


def numbers(data: Array, layout: Sequence[str | tuple[int, int]]) -> list[Array]:
    """The numbers in texts of one layout, int64; null where a text has another layout."""
    return number_layouts.numbers(data, layout)
