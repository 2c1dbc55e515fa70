"""to_char: texts of decimals in a format of nines and zeros."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.arithmetic import scaled
from broadhead.functions.longs import Longs
from broadhead.functions.operands import arrays
from broadhead.functions.registry import DECIMAL, STRING, function
from broadhead.registry import Signature
from broadhead.types import INTEGER, MAX_PRECISION, DecimalType
from broadhead.types import STRING as STRING_TYPE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels

FIELDS = ("sign", "signFirst", "dollar", "groups", "zeros", "after")


@function(
    "to_char",
    spark="ToCharacter",
    signatures=[Signature((DECIMAL, STRING), STRING, literal=(1,))],
    fields=dict.fromkeys(FIELDS, "any"),
    note="numbers of up to 18 digits; the format is a literal with digits, commas, a point, "
    "a dollar sign in front, and S or MI",
)
def to_char(
    k: Kernels,
    number: Column,
    form: Column,
    *,
    sign: str,
    sign_first: bool,
    dollar: bool,
    groups: tuple[int, ...],
    zeros: bool,
    after: int,
) -> Column:
    """The text of a number in a format.

    >>> SELECT to_char(12454.8, '99,999.9S')
    12,454.8+
    """
    data, _ = arrays(k, [number, form])
    negative = k.logic.is_true(
        k.compare.compare("less", data, k.columns.scalar(0, DecimalType("decimal", 1, 0)))
    )
    form_ = Format(k, sign, sign_first, dollar, groups, zeros, after)
    return Column(form_.text(k.decimal.abs(data), scaled(number)[1], negative), STRING_TYPE)


@dataclass(frozen=True, slots=True)
class Format:
    """A format: the digits between commas, those after the point, and what stands around them."""

    k: Kernels
    sign: str
    sign_first: bool
    dollar: bool
    groups: tuple[int, ...]
    zeros: bool
    after: int

    def text(self, amount: Array, scale: int, negative: Array) -> Array:
        """The texts of unscaled numbers that are not negative."""
        k = self.k
        units, fits = self._units(amount, scale)
        whole = units.truncated(10**self.after)
        signs = self._signs(negative) if self.sign else None
        before = self._before_point(whole)
        if self.after:
            before = self._with_zero(before, negative)
        hashes = " ".join("#" * count for count in self.groups)
        before = k.logic.if_else(fits, before, self._full(hashes, before))
        parts = self._begin(before, signs)
        if self.after:
            rest = (units - whole * 10**self.after).data
            digits = k.cast.digits_to_string([rest], [self.after])
            digits = k.logic.if_else(fits, digits, self._full("#" * self.after, digits))
            parts += [k.columns.scalar(".", STRING_TYPE), digits]
        if signs is None or self.sign_first:
            return k.strings.concat(parts) if len(parts) > 1 else parts[0]
        if self.after or self.zeros or self.sign == "MI":
            return k.strings.concat([*parts, signs])
        # The sign stands before spaces at the end, which are a zero.
        spaces = k.logic.and_(whole.equals(0), fits)
        digits = parts.pop()
        parts.append(k.logic.if_else(spaces, signs, digits))
        return k.strings.concat([*parts, k.logic.if_else(spaces, digits, signs)])

    def _units(self, amount: Array, scale: int) -> tuple[Longs, Array]:
        """The digits of the numbers, 0 where they do not fit, and where they fit."""
        k = self.k
        precision = sum(self.groups) + self.after
        units, _ = k.decimal.rescale(amount, scale, precision, self.after)
        back, _ = k.decimal.rescale(units, self.after, MAX_PRECISION, scale)
        fits = k.logic.or_(
            k.logic.is_null(amount), k.logic.is_true(k.compare.compare("equal", back, amount))
        )
        longs = k.decimal.fits_long(units)
        assert longs is not None, "so many digits are in a long"
        none = k.logic.and_(k.logic.is_valid(amount), k.logic.not_(fits))
        return Longs(k, longs).where(k.logic.not_(none), 0), fits

    def _before_point(self, whole: Longs) -> Array:
        """The digits before the point with commas, without those zeros that are spaces."""
        k = self.k
        numbers: list[Array] = []
        layout: list[str | int] = []
        rest = sum(self.groups)
        for count in self.groups:
            higher, rest = 10**rest, rest - count
            lower = whole - whole.truncated(higher) * higher if numbers else whole
            numbers.append(lower.truncated(10**rest).data)
            layout += [",", count] if layout else [count]
        digits = k.cast.digits_to_string(numbers, layout)
        return digits if self.zeros else k.strings.trim(digits, "leading", "0,")

    def _with_zero(self, before: Array, negative: Array) -> Array:
        """A zero before the point, unless a sign stands there."""
        k = self.k
        if self.zeros or (self.sign == "S" and self.sign_first and not self.dollar):
            return before
        empty = k.compare.compare("equal", before, k.columns.scalar("", STRING_TYPE))
        if self.sign and self.sign_first and not self.dollar:
            empty = k.logic.and_(empty, k.logic.not_(negative))
        return k.logic.if_else(k.logic.is_true(empty), self._full("0", before), before)

    def _begin(self, before: Array, signs: Array | None) -> list[Array]:
        """The parts up to the point, with spaces for the digits that are left out."""
        k = self.k
        width = sum(self.groups) + len(self.groups) - 1
        front = signs if self.sign_first else None
        if front is not None and not self.dollar:
            return [self._padded(k.strings.concat([front, before]), width + 1)]
        parts = [self._padded(before, width)]
        if self.dollar:
            parts.insert(0, self._full("$", before))
        return parts if front is None else [front, *parts]

    def _signs(self, negative: Array) -> Array:
        other = self.k.columns.scalar("+" if self.sign == "S" else " ", STRING_TYPE)
        return self.k.logic.if_else(negative, self._full("-", negative), other)

    def _padded(self, texts: Array, width: int) -> Array:
        length = self.k.columns.scalar(width, INTEGER)
        return self.k.characters.pad(texts, length, " ", "left")

    def _full(self, text: str, like: Array) -> Array:
        scalar = self.k.columns.scalar(text, STRING_TYPE)
        return self.k.columns.full(scalar, self.k.columns.length(like))
