"""Whole numbers in the bases from 2 to 36."""

from __future__ import annotations

from broadhead.errors import EngineLimit

_DIGITS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WHOLE, _SIGNED = 1 << 64, 1 << 63


def converted(text: bytes, base: int, to: int) -> str | None:
    """Digits of one base in another one, as 64 bits without a sign if `to` is not negative."""
    text = text.strip(b" ")
    if not text:
        return None
    negative = text.startswith(b"-")
    number = _value(text[1:] if negative else text, base)
    if negative and to > 0:
        return _digits(-number % _WHOLE, to)
    return ("-" if negative else "") + _digits(number, abs(to))


def _value(text: bytes, base: int) -> int:
    number = 0
    for digit in map(_DIGITS.find, (text.upper()[n : n + 1] for n in range(len(text)))):
        if not 0 <= digit < base:
            break
        number = number * base + digit
        if number >= _SIGNED:
            raise EngineLimit("conv of a number of 64 bits")
    return number


def _digits(number: int, base: int) -> str:
    digits = ""
    while number or not digits:
        number, digit = divmod(number, base)
        digits = chr(_DIGITS[digit]) + digits
    return digits
