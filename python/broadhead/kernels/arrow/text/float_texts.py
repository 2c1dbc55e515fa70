"""Floats as texts, as Java's Double.toString and Float.toString write them.

Arrow and Java 19 find the digits by the same rule: as few as tell the value from its neighbours, of
these the nearest. Java before 19 differs for whole numbers that are not exact to the unit, and for
rare other ones (JDK-4511638), which are left to Spark.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views

Array = Any
Numbers = np.ndarray[Any, Any]

_LEAST_PLAIN, _END_OF_PLAIN = 1e-3, 1e7
_LONG_END = 2.0**63
_DIFFERENT_END = 1e26
"""Java before 19 and Arrow may choose other last digits up to here from the end of longs on."""
_LAST_EQUAL_POWER = 2.0**-23
"""The smallest power of two from which on both have the same digits."""


def text_of_floats(data: Array, *, shortest: bool) -> Array:
    """The texts; `shortest` is the rule of Java 19.

    Raises `EngineLimit` for the values whose digits the rules do not say.
    """
    # numpy warns of some NaNs
    with np.errstate(invalid="ignore"):
        return _text_of_floats(data, shortest=shortest)


def _text_of_floats(data: Array, *, shortest: bool) -> Array:
    numbers = views.values(data)
    magnitudes = np.abs(numbers)
    valid = views.valid(data)
    _check_limits(magnitudes if valid is None else magnitudes[valid], shortest=shortest)
    scientific = (magnitudes < _LEAST_PLAIN) & (magnitudes > 0) | (magnitudes >= _END_OF_PLAIN)
    scientific |= np.isnan(magnitudes)
    if valid is not None:
        scientific &= valid
    texts = data.cast(pa.string())
    whole = np.trunc(magnitudes) == magnitudes
    plain = _with_suffix(texts, whole & ~scientific)
    if not scientific.any():
        return plain
    mask = views.array(scientific, pa.bool_())
    rest = _scientific(texts.filter(mask), numbers[scientific], shortest=shortest)
    return views.contiguous(pc.replace_with_mask(plain, mask, rest))


def _check_limits(magnitudes: Numbers, *, shortest: bool) -> None:
    subnormal = (magnitudes > 0) & (magnitudes < np.finfo(magnitudes.dtype).tiny)
    if subnormal.any():
        raise EngineLimit("the text of a subnormal number")
    if shortest:
        return
    between = (magnitudes >= _LONG_END) & (magnitudes < _DIFFERENT_END)
    outside = (magnitudes < _LAST_EQUAL_POWER) & (magnitudes > 0)
    outside |= (magnitudes >= _DIFFERENT_END) & np.isfinite(magnitudes)
    powers = outside.any() and (np.frexp(magnitudes[outside])[0] == 0.5).any()
    if between.any() or powers:
        raise EngineLimit("the text of a number with the digits of Java before 19")


def _with_suffix(texts: Array, whole: Numbers) -> Array:
    """The texts, with `.0` for whole numbers."""
    if not whole.any():
        return texts
    suffix = ".0" if whole.all() else pc.if_else(views.array(whole, pa.bool_()), ".0", "")
    return views.contiguous(pc.binary_join_element_wise(texts, suffix, ""))


def _scientific(texts: Array, numbers: Numbers, *, shortest: bool) -> Array:
    """Arrow's texts of numbers as Java's with an exponent, and of NaN and the infinities."""
    magnitudes = np.abs(numbers)
    finite = np.isfinite(numbers)
    bodies = pc.ascii_ltrim(texts, characters="-")
    digits, exponents = _digits(bodies)
    exact = 2.0 ** (np.finfo(numbers.dtype).nmant + 1)
    coarse = (magnitudes >= exact) & (magnitudes < _LONG_END)
    if not shortest and coarse.any():
        mask = views.array(coarse, pa.bool_())
        own, exponents[coarse] = _digits_of_longs(magnitudes[coarse])
        digits = pc.replace_with_mask(digits, mask, own)
    negative = views.array(np.signbit(numbers), pa.bool_())
    first, others = pc.utf8_slice_codeunits(digits, 0, 1), pc.utf8_slice_codeunits(digits, 1)
    others = pc.if_else(pc.equal(others, ""), "0", others)
    powers = pa.array(exponents).cast(pa.string())
    signs = pc.if_else(negative, "-", "")
    result = pc.binary_join_element_wise(signs, first, ".", others, "E", powers, "")
    if finite.all():
        return result
    words = pc.if_else(negative, "-Infinity", "Infinity")
    words = pc.if_else(views.array(np.isnan(numbers), pa.bool_()), "NaN", words)
    return pc.if_else(views.array(finite, pa.bool_()), result, words)


def _digits(bodies: Array) -> tuple[Array, Numbers]:
    """Significant digits, and the exponent of the first one, of texts without a sign."""
    has_power = pc.match_substring(bodies, "e")
    if not logic.any(has_power):
        return _digits_of_plain(bodies)
    if logic.all(has_power):
        # what is cut off are the digits of the power, then the e
        numbers = pc.ascii_rtrim(bodies, characters="+-0123456789")
        digits, exponents = _digits_of_plain(pc.ascii_rtrim(numbers, characters="e"))
        return digits, exponents + _powers(bodies)
    mask, rest = views.values(has_power), pc.invert(has_power)
    digits, exponents = _digits(bodies.filter(has_power))
    others, other_exponents = _digits_of_plain(bodies.filter(rest))
    every = np.empty(len(bodies), np.int64)
    every[mask], every[~mask] = exponents, other_exponents
    spread = pc.replace_with_mask(bodies, has_power, digits)
    return pc.replace_with_mask(spread, rest, others), every


def _powers(bodies: Array) -> Numbers:
    """The numbers after `e` and a sign, of up to three digits."""
    ends = views.offsets(bodies)[1:]
    marks = views.offsets(bodies)[:-1] + views.values(pc.find_substring(bodies, "e"))
    characters = np.frombuffer(bodies.buffers()[2], np.uint8)
    total = np.zeros(len(bodies), np.int64)
    for position in (2, 3, 4):
        inside = marks + position < ends
        here = characters[np.where(inside, marks + position, marks)].astype(np.int64) - ord("0")
        total = np.where(inside, total * 10 + here, total)
    return np.where(characters[marks + 1] == ord("-"), -total, total)


def _digits_of_plain(bodies: Array) -> tuple[Array, Numbers]:
    points = views.values(pc.find_substring(bodies, "."))
    lengths = views.values(pc.binary_length(bodies))
    whole = np.where(points < 0, lengths, points)
    joined = pc.replace_substring(bodies, ".", "") if (points >= 0).any() else bodies
    digits = pc.ascii_ltrim(joined, characters="0")
    zeros = views.values(pc.binary_length(joined)) - views.values(pc.binary_length(digits))
    exponents = (whole - 1 - zeros).astype(np.int64)
    return pc.ascii_rtrim(digits, characters="0"), exponents


def _digits_of_longs(magnitudes: Numbers) -> tuple[Array, Numbers]:
    """The digits of whole numbers in Java before 19, and the exponent of the first one.

    All digits of the number, but for as many as the distance to the next number has: it rounds
    these off.
    """
    longs = magnitudes.astype(np.int64)
    spare = np.frexp(magnitudes)[1] - 1 - (np.finfo(magnitudes.dtype).nmant + 1) - 1
    dropped = np.floor(np.maximum(spare, 0) * np.log10(2.0)).astype(np.int64)
    power = 10**dropped
    rounded = longs // power
    rounded += (longs % power >= power >> 1) & (dropped > 0)
    digits = pa.array(rounded).cast(pa.string())
    exponents = views.values(pc.binary_length(digits)).astype(np.int64) - 1 + dropped
    return pc.ascii_rtrim(digits, characters="0"), exponents
