"""The two words of doubles, sign and exponent in the high one, as fdlibm's algorithms use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable

Doubles = npt.NDArray[np.float64]
Words = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_HIGH = -(1 << 32)
_MAGNITUDE = 0x7FFFFFFF


def high(values: Doubles) -> Words:
    """The high words, negative ones of negative doubles."""
    return values.view(np.int64) >> 32


def magnitude(values: Doubles) -> Words:
    """The high words without the sign."""
    return high(values) & _MAGNITUDE


def low(values: Doubles) -> Words:
    """The low words, as numbers that are not negative."""
    return values.view(np.int64) & ~_HIGH


def with_high(values: Doubles, words: Words) -> Doubles:
    """The doubles with other high words."""
    return ((words << 32) | low(values)).view(np.float64)


def of_high(words: Words) -> Doubles:
    """Doubles of these high words, the low ones zero."""
    return (words << 32).view(np.float64)


def truncated(values: Doubles) -> Doubles:
    """The doubles with low words of zero."""
    return (values.view(np.int64) & _HIGH).view(np.float64)


def scaled(values: Doubles, exponents: Words) -> Doubles:
    """The doubles with these numbers added to their exponents, without a check."""
    return (values.view(np.int64) + (exponents << 52)).view(np.float64)


def replaced(
    y: Doubles, mask: Mask, function: Callable[..., Doubles], *arguments: npt.NDArray[Any]
) -> Doubles:
    """`y`, with the function of the arguments where the mask is true.

    It is computed for these rows alone where they are few.
    """
    indices = np.flatnonzero(mask)
    if 2 * len(indices) > len(y):
        return np.where(mask, function(*arguments), y)
    if len(indices):
        y[indices] = function(*(argument[indices] for argument in arguments))
    return y


def polynomial(at: Doubles, *coefficients: float) -> Doubles:
    """`c0 + at * (c1 + at * (c2 + ...))`, evaluated from the inside."""
    result = coefficients[-1] + np.zeros_like(at)
    for coefficient in reversed(coefficients[:-1]):
        result = coefficient + at * result
    return result
