"""Numbers of single texts, in the grammars of Java and Spark."""

from __future__ import annotations

import decimal
import math
import re
import unicodedata

import pyarrow as pa

from broadhead.errors import EngineLimit

_INTEGER = re.compile(rb"([+-]?)([0-9]+)")
_FRACTIONAL = re.compile(rb"([+-]?)([0-9]*)(?:\.[0-9]*)?")
_FLOAT = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?")
_HEXADECIMAL = re.compile(
    r"(([+-]?)0[xX](?=\.?[0-9a-fA-F])([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+))[fFdD]?"
)
_WORDS = {
    "inf": float("inf"), "+inf": float("inf"), "infinity": float("inf"),
    "+infinity": float("inf"), "-inf": float("-inf"), "-infinity": float("-inf"),
    "nan": float("nan"),
}  # fmt: skip
_SIGNED_NANS = {"+NaN", "-NaN"}
_DECIMAL = re.compile(r"([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?")
_LONG_DIGITS = 19
_SMALLEST_EXPONENT = -10_000
_LARGEST_EXPONENT = 2**31
_EXPONENT_DIGITS = 10
_BASIC_PLANE = "\uffff"
_INTEGRAL_DIGITS = 38


def integer(text: bytes, *, fraction: bool) -> int | None:
    """A long; with `fraction`, digits after a point are cut off."""
    match = (_FRACTIONAL if fraction else _INTEGER).fullmatch(text)
    if match is None or match.end(1) == len(text):
        return None
    digits = match[2].lstrip(b"0")
    if len(digits) > _LONG_DIGITS:
        return None
    number = int(digits or b"0")
    number = -number if match[1] == b"-" else number
    return number if -(2**63) <= number < 2**63 else None


def double(text: bytes) -> float | None:
    """The nearest double."""
    characters = text.decode("utf-8", "replace")
    if match := _FLOAT.fullmatch(characters):
        return float(match[1])
    if match := _HEXADECIMAL.fullmatch(characters):
        return _hexadecimal(match[1])
    return _word(characters)


def single(text: bytes) -> float | None:
    """The nearest float; not that of the nearest double, which is rounded twice."""
    characters = text.decode("utf-8", "replace")
    number = double(text)
    if not number or not math.isfinite(number):
        return number
    match = _FLOAT.fullmatch(characters)
    exact = match[1].removeprefix("+") if match else _as_decimal(characters)
    nearest: float = pa.scalar(exact).cast(pa.float32()).as_py()
    return nearest


def _hexadecimal(text: str) -> float:
    try:
        return float.fromhex(text)
    except OverflowError:
        return float("-inf" if text.startswith("-") else "inf")


def _as_decimal(text: str) -> str:
    """A hexadecimal number with all of its decimal digits."""
    match = _HEXADECIMAL.fullmatch(text)
    assert match is not None, "a finite number is decimal or hexadecimal"
    sign, whole, fraction, exponent = match.group(2, 3, 4, 5)
    fraction = fraction or ""
    mantissa, power = int(whole + fraction, 16), int(exponent) - 4 * len(fraction)
    digits = f"{mantissa << power}" if power >= 0 else f"{mantissa * 5**-power}e{power}"
    return f"{sign}{digits}".removeprefix("+")


def _word(text: str) -> float | None:
    return float("nan") if text in _SIGNED_NANS else _WORDS.get(text.lower())


def unscaled(text: bytes, precision: int, scale: int) -> int | None:
    """The unscaled integer of a decimal, rounded HALF_UP; None if it does not fit.

    Raises `EngineLimit` for tiny numbers, for which Java's arithmetic has limits of its own.
    """
    characters = text.decode("utf-8", "replace")
    match = _DECIMAL.fullmatch(characters)
    if match is None or max(characters) > _BASIC_PLANE:
        return None
    parts = match.groups(default="")
    if not characters.isascii():
        parts = tuple(map(_in_ascii, parts))
    sign, whole, fraction, only_fraction, exponent = parts
    shift = _exponent(exponent)
    if shift is None:
        return None
    fraction += only_fraction
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return 0
    position = len(digits) - len(fraction) + shift
    if position > _INTEGRAL_DIGITS:
        return None
    if shift < _SMALLEST_EXPONENT:
        raise EngineLimit("a decimal with a tiny exponent")
    with decimal.localcontext() as context:
        context.prec = decimal.MAX_PREC
        context.Emax, context.Emin = decimal.MAX_EMAX, decimal.MIN_EMIN
        context.rounding = decimal.ROUND_HALF_UP
        exact = decimal.Decimal(f"{sign}{digits}").scaleb(shift - len(fraction) + scale)
        result = int(exact.to_integral_value())
    return result if abs(result) < 10**precision else None


def _in_ascii(digits: str) -> str:
    """Digits of any script as those of ASCII; other characters stay."""
    return "".join(str(unicodedata.digit(character, character)) for character in digits)


def _exponent(digits: str) -> int | None:
    """The exponent that the digits name, 0 for none; None if Java refuses it."""
    if not digits:
        return 0
    significant = digits.lstrip("+-").lstrip("0")
    if len(significant) > _EXPONENT_DIGITS:
        return None
    number = int(significant or "0") * (-1 if digits.startswith("-") else 1)
    return None if abs(number) >= _LARGEST_EXPONENT else number
