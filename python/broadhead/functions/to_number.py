"""to_number: decimals of texts in a format of nines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.functions.longs import Longs
from broadhead.functions.operands import arrays, checked, literal
from broadhead.functions.registry import DECIMAL, STRING, function
from broadhead.registry import Signature
from broadhead.types import MAX_LONG_DIGITS
from broadhead.types import STRING as STRING_TYPE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels
    from broadhead.types import DataType

Part = str | tuple[int, int]
MOST_DIGITS, MOST_AFTER_POINT = 12, 6
FORMATS = tuple(
    f"{'9' * whole}.{'9' * after}" if after else "9" * whole
    for whole in range(1, MOST_DIGITS + 1)
    for after in range(MOST_AFTER_POINT + 1)
)
SKIPPED = (" ", "\t", "\n", "\r", "\v", "\f")
"""Spark skips these wherever they stand in a number."""
SIGNATURES = (Signature((STRING, STRING), DECIMAL, literal=(1,), values={1: FORMATS}),)
NOTE = f"the format has up to {MOST_DIGITS} nines before a point and {MOST_AFTER_POINT} after it"


@function("to_number", spark="ToNumber", signatures=SIGNATURES, raises=True, note=NOTE)
def to_number(k: Kernels, texts: Column, form: Column, *, returns: DataType) -> Column:
    """The decimal of a text in a format.

    >>> SELECT to_number('12.5', '999.99')
    12.50
    """
    return _read(k, texts, form, returns, raises=True)


@function("try_to_number", spark="TryToNumber", signatures=SIGNATURES, note=NOTE)
def try_to_number(k: Kernels, texts: Column, form: Column, *, returns: DataType) -> Column:
    """The decimal of a text in a format, null if it does not fit the format.

    >>> SELECT try_to_number('12,5', '999.99')
    NULL
    """
    return _read(k, texts, form, returns, raises=False)


def _read(k: Kernels, texts: Column, form: Column, returns: DataType, *, raises: bool) -> Column:
    data, _ = arrays(k, [texts, form])
    pattern = literal(k, form) or FORMATS[0]
    whole, _, after = pattern.partition(".")
    assert len(pattern) - 1 <= MAX_LONG_DIGITS, "the signature gives no others"
    trimmed = k.strings.trim(data, "both", SKIPPED[0])
    found, failed = None, k.logic.is_valid(data)
    for layout, powers in _layouts(len(whole), len(after)):
        (rest,) = k.columns.filter([trimmed], failed)
        numbers = k.parse.numbers(rest, layout)
        total = Longs(k, numbers[0]) * powers[0]
        for number, power in zip(numbers[1:], powers[1:], strict=True):
            total = total + Longs(k, number) * power
        part = k.columns.scatter(total.data, failed)
        found = part if found is None else k.logic.coalesce([found, part])
        failed = k.logic.and_(k.logic.is_valid(data), k.logic.is_null(found))
        if not k.logic.any(failed):
            return Column(found, returns)
    _refuse_odd(k, k.columns.filter([trimmed], failed)[0])
    values = checked(k, (found, failed), "INVALID_FORMAT", raises=raises)
    return Column(values, returns)


def _layouts(whole: int, after: int) -> Iterator[tuple[tuple[Part, ...], tuple[int, ...]]]:
    """Layouts of the numbers that a format takes, and the units of their numbers."""
    unit = 10**after
    digits = (1, whole)
    if after:
        fractions = [((count, count), 10 ** (after - count)) for count in range(after, 0, -1)]
        for fraction, power in fractions:
            yield (digits, ".", fraction), (unit, power)
        yield (digits, "."), (unit,)
        for fraction, power in fractions:
            yield (".", fraction), (power,)
    yield (digits,), (unit,)


def _refuse_odd(k: Kernels, texts: Array) -> None:
    """Raises EngineLimit for texts with spaces inside, or with digits of other scripts.

    Also for those without a digit, which some versions of Spark fail on.
    """
    if k.logic.any(k.compare.is_in(texts, ("", "."), STRING_TYPE)):
        raise EngineLimit("a number has no digits")
    for space in SKIPPED:
        if k.logic.any(k.strings.contains(texts, k.columns.scalar(space, STRING_TYPE))):
            raise EngineLimit("a number has a space in it")
    is_ascii = k.compare.null_safe_equal(k.strings.length(texts), k.strings.byte_length(texts))
    if not k.logic.all(is_ascii):
        raise EngineLimit("a number has characters that are not ASCII")
