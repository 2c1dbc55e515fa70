"""format_string: texts of values in a format like that of `printf`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.functions.longs import Longs
from broadhead.functions.operands import nulls, row_count
from broadhead.functions.registry import BOOLEAN, FLOATING, INTEGRAL, STRING, function
from broadhead.registry import Signature
from broadhead.types import DOUBLE, INTEGER, INTEGRAL_BITS, LONG
from broadhead.types import STRING as STRING_TYPE

if TYPE_CHECKING:
    from collections.abc import Callable

    from broadhead.kernels.interface import Array, Kernels

KEPT_DIGITS = 18
EXACT_END = 2.0**53
"""From here on, Java before 19 writes digits of doubles that do not tell them apart."""
DEFAULT_PRECISION = 6
VALUES = STRING | INTEGRAL | FLOATING | BOOLEAN


@dataclass(frozen=True, slots=True)
class Conversion:
    """One conversion of a format: its letter, flags, and width and precision, -1 for none."""

    k: Kernels
    letter: str
    flags: str
    width: int
    precision: int

    def text(self, value: str) -> Any:
        """A scalar."""
        return self.k.columns.scalar(value, STRING_TYPE)

    def padded(self, texts: Array, fill: str = " ") -> Array:
        """Texts with as many characters as the width, or more."""
        lengths = self.k.strings.length(texts)
        return self.k.characters.pad(texts, self.at_least(lengths, self.width), fill, self.side)

    def at_least(self, lengths: Array, width: Any) -> Array:
        """The greater one of two numbers of characters."""
        k = self.k
        wide = k.columns.scalar(width, INTEGER) if isinstance(width, int) else width
        least = k.columns.full(wide, k.columns.length(lengths))
        return k.logic.if_else(k.compare.compare("less", lengths, least), least, lengths)

    @property
    def side(self) -> Any:
        """Where characters are added."""
        return "right" if "-" in self.flags else "left"

    def signed(self, digits: Array, negative: Array) -> Array:
        """Digits with their sign, and with zeros before them up to the width."""
        k = self.k
        signs = self._signs(negative, k.columns.length(digits))
        if signs is None:
            return self.zeros_before(digits, self.width)
        width = k.arithmetic.subtract(
            k.columns.scalar(self.width, INTEGER), k.strings.length(signs)
        )
        return k.strings.concat([signs, self.zeros_before(digits, width)])

    def zeros_before(self, digits: Array, width: Any) -> Array:
        """As many digits as the width, or more, if the flags ask for it."""
        if "0" not in self.flags:
            return digits
        target = self.at_least(self.k.strings.length(digits), width)
        return self.k.characters.pad(digits, target, "0", "left")

    def _signs(self, negative: Array, rows: int) -> Array | None:
        k = self.k
        plus = "+" in self.flags
        if not plus and not k.logic.any(negative):
            return None
        minus = k.columns.full(self.text("-"), rows)
        return k.logic.if_else(negative, minus, self.text("+" if plus else ""))


@function(
    "format_string",
    spark="FormatString",
    signatures=[Signature((STRING, VALUES), STRING, variadic=True, literal=(0,))],
    fields={"parts": "any"},
    note="the format is a literal with the conversions %s, %d, %x and %f",
)
def format_string(
    k: Kernels, form: Column, *values: Column, parts: tuple[Any, ...] | None
) -> Column:
    """The text of a format with values instead of its conversions.

    >>> SELECT format_string('Hello World %d %s', 100, 'days')
    Hello World 100 days
    """
    rows = row_count(k, [form, *values])
    if parts is None:
        return Column(nulls(k, STRING_TYPE, rows), STRING_TYPE)
    texts = [_part(k, part, values, rows) for part in parts]
    if all(k.columns.is_scalar(text) for text in texts):
        whole = "".join(part for part in parts if isinstance(part, str))
        return Column(k.columns.full(k.columns.scalar(whole, STRING_TYPE), rows), STRING_TYPE)
    return Column(k.strings.concat(texts) if len(texts) > 1 else texts[0], STRING_TYPE)


def _part(k: Kernels, part: Any, values: tuple[Column, ...], rows: int) -> Any:
    """The text of a part, a scalar where it is the same in all rows."""
    if isinstance(part, str):
        return k.columns.scalar(part, STRING_TYPE)
    letter, number, flags, width, precision = part
    conversion = Conversion(k, letter, flags, width, precision)
    value = values[number]
    data = k.columns.full(value.data, rows)
    texts = _TEXTS[letter](conversion, Column(data, value.type))
    missing = "null" if precision < 0 else "null"[:precision]
    missing = missing.upper() if letter == "X" else missing
    texts = k.logic.coalesce([texts, k.columns.full(conversion.text(missing), rows)])
    return texts if width < 0 else conversion.padded(texts)


def _string(c: Conversion, value: Column) -> Array:
    k = c.k
    if value.type.name == "boolean":
        return k.cast.boolean_to_string(value.data)
    if value.type.is_integral:
        return k.cast.integer_to_string(value.data)
    if c.width > 0:
        _refuse_other_than_ascii(k, value.data)
    return value.data


def _refuse_other_than_ascii(k: Kernels, texts: Array) -> None:
    """Raises for characters that may be two to Java, which counts them for the width."""
    same = k.compare.null_safe_equal(k.strings.length(texts), k.strings.byte_length(texts))
    if not k.logic.all(same):
        raise EngineLimit("a width of strings with other characters than ASCII")


def _decimal(c: Conversion, value: Column) -> Array:
    k = c.k
    data = k.cast.widen(value.data, LONG)
    if k.logic.any(k.arithmetic.least_integer(data)):
        raise EngineLimit("the least long is formatted")
    negative = Longs(k, data).is_less(0)
    return c.signed(_digits(c, k.arithmetic.abs(data)), negative)


def _digits(c: Conversion, amount: Array) -> Array:
    cast = c.k.cast
    grouped = "," in c.flags
    return cast.integer_to_grouped_string(amount) if grouped else cast.integer_to_string(amount)


def _hexadecimal(c: Conversion, value: Column) -> Array:
    k = c.k
    numbers = Longs(k, k.cast.widen(value.data, LONG))
    bits = INTEGRAL_BITS[value.type.name]
    if value.type != LONG:
        numbers = (numbers + 2**bits).where(numbers.is_less(0), numbers)
    digits = k.encodings.hex(numbers.data)
    digits = digits if c.letter == "X" else k.strings.lower(digits)
    return c.zeros_before(digits, c.width)


def _float(c: Conversion, value: Column) -> Array:
    """Doubles with a fixed number of digits after the point, rounded as their decimal texts."""
    k = c.k
    numbers = k.cast.widen(value.data, DOUBLE)
    zero = k.columns.scalar(0.0, DOUBLE)
    magnitude = k.arithmetic.abs(numbers)
    end = k.columns.scalar(EXACT_END, DOUBLE)
    large = k.logic.not_(k.compare.compare("less", magnitude, end))
    if k.logic.any(large):
        raise EngineLimit("%f of a number of more than 15 digits")
    digits = DEFAULT_PRECISION if c.precision < 0 else c.precision
    unscaled, failed = k.decimal.from_double(magnitude, KEPT_DIGITS, digits)
    if failed is not None and k.logic.any(failed):
        raise EngineLimit(f"%f of a number of more than {KEPT_DIGITS} digits")
    units = Longs(k, unscaled)
    whole = units.truncated(10**digits)
    texts = _digits(c, whole.data)
    if digits:
        rest = k.cast.digits_to_string([(units - whole * 10**digits).data], [digits])
        texts = k.strings.concat([texts, c.text("."), rest])
    inverse = k.arithmetic.divide(k.columns.scalar(1.0, DOUBLE), numbers)
    below = [k.logic.is_true(k.compare.compare("less", n, zero)) for n in (numbers, inverse)]
    return c.signed(texts, k.logic.or_(*below))


_TEXTS: dict[str, Callable[[Conversion, Column], Array]] = {
    "s": _string,
    "d": _decimal,
    "x": _hexadecimal,
    "X": _hexadecimal,
    "f": _float,
}
