"""Texts of dates and times in a pattern: to_date, to_timestamp and unix_timestamp."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from broadhead.errors import EngineLimit
from broadhead.functions.longs import Longs
from broadhead.functions.timestamps import HOUR, MINUTE
from broadhead.functions.zones import MICROSECONDS
from broadhead.types import INTEGER

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels

Part = str | tuple[int, int]

_DATES = (
    *("yyyy-MM-dd", "yyyy/MM/dd", "yyyy.MM.dd", "yyyyMMdd", "yyyy-M-d", "yyyy/M/d"),
    *("dd/MM/yyyy", "dd-MM-yyyy", "dd.MM.yyyy", "d/M/yyyy", "d.M.yyyy", "dd/MM/yy"),
    *("MM/dd/yyyy", "MM-dd-yyyy", "M/d/yyyy", "MM/dd/yy", "M/d/yy"),
)
_CLOCKS = (
    *("HH:mm", "HH:mm:ss", "HH:mm:ss.S", "HH:mm:ss.SSS", "HH:mm:ss.SSSSSS", "H:mm", "H:mm:ss"),
    *("HH", "HHmm", "HHmmss"),
)
_ISO_CLOCKS = ("HH:mm", "HH:mm:ss", "HH:mm:ss.SSS", "HH:mm:ss.SSSSSS")
_ISO_ENDS = ("", "'Z'")
_ZONED = tuple(f"yyyy-MM-dd'T'{clock}XXX" for clock in _ISO_CLOCKS)
LOCAL_PATTERNS = (
    *_DATES,
    *("yyyy-MM", "yyyy/MM", "yyyyMM", "MM/yyyy", "yyyy", "HH:mm", "HH:mm:ss"),
    *(f"{date} {clock}" for date, clock in product(_DATES, _CLOCKS)),
    *(f"yyyy-MM-dd'T'{clock}{end}" for clock, end in product(_ISO_CLOCKS, _ISO_ENDS)),
    *("yyyyMMddHH", "yyyyMMddHHmm", "yyyyMMddHHmmss", "yyyyMMdd'T'HHmmss"),
)
PATTERNS = (*LOCAL_PATTERNS, *_ZONED)

_TOKENS = re.compile(r"yyyy|yy|MM?|dd?|HH?|mm|ss|S+|XXX|'(?P<quoted>[^']*)'|[^A-Za-z\[\]{}#']+")
_SINGLE = ("M", "d", "H")
_MOST_DIGITS = 18
_CENTURY = 2_000
_MOST_YEAR = 290_000
"""Microseconds of later years do not fit in a long, for which Spark raises."""
_MOST_OFFSET = 18
"""Hours of the greatest offset, beside which there are no minutes."""


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write a pattern: its layout, the field of each number, and signs."""

    layout: tuple[Part, ...]
    fields: tuple[str, ...]
    year_sign: int = 1
    offset_sign: int = 1


def is_zoned(pattern: str) -> bool:
    """Whether texts of the pattern name their offset from UTC."""
    return pattern in _ZONED


def plain_form(pattern: str) -> Form:
    """The usual form: years without a sign, offsets to the east."""
    layout: list[Part] = []
    fields = []
    for match in _TOKENS.finditer(pattern):
        name = match[0]
        if match["quoted"] is not None or not name[0].isalpha():
            layout.append(match["quoted"] or name)
        elif name == "XXX":
            layout += ["+", (2, 2), ":", (2, 2)]
            fields += ["offset hours", "offset minutes"]
        else:
            layout.append(_width(name))
            fields.append("yy" if name == "yy" else name[0])
    return Form(tuple(layout), tuple(fields))


def _width(name: str) -> tuple[int, int]:
    """Least and most digits of a field."""
    return (1, _MOST_DIGITS) if name in _SINGLE else (len(name), len(name))


def forms(pattern: str) -> Iterator[Form]:
    """All forms, the usual one first."""
    usual = [
        form
        for with_offset in _offset_forms(plain_form(pattern))
        for form in _fraction_forms(with_offset)
    ]
    yield from usual
    for form in usual:
        if "y" in form.fields:
            for sign, least in ((1, 5), (-1, 4)):
                yield _with_year(form, sign, (least, _MOST_DIGITS))


def _offset_forms(form: Form) -> Iterator[Form]:
    if "offset hours" not in form.fields:
        yield form
        return
    head, fields = form.layout[:-4], form.fields[:-2]
    yield Form((*head, "Z"), fields)
    yield form
    yield Form((*head, "-", *form.layout[-3:]), form.fields, offset_sign=-1)


def _fraction_forms(form: Form) -> Iterator[Form]:
    """The form with each number of digits that the fraction may have."""
    if "S" not in form.fields:
        yield form
        return
    number = form.fields.index("S")
    index = _index_of(form, number)
    most = form.layout[index][1]
    assert isinstance(most, int), "a fraction is a number"
    for digits in range(most, 0, -1):
        layout = (*form.layout[:index], (digits, digits), *form.layout[index + 1 :])
        fields = (*form.fields[:number], f"S{digits}", *form.fields[number + 1 :])
        yield replace(form, layout=layout, fields=fields)


def _with_year(form: Form, sign: int, *numbers: Part) -> Form:
    index = _index_of(form, form.fields.index("y"))
    layout = (*form.layout[:index], "-" if sign < 0 else "+", *numbers, *form.layout[index + 1 :])
    return Form(layout, form.fields, sign, form.offset_sign)


def _index_of(form: Form, number: int) -> int:
    indices = [index for index, part in enumerate(form.layout) if not isinstance(part, str)]
    return indices[number]


def _longer(pattern: str) -> Iterator[tuple[Part, ...]]:
    """Layouts with one more digit in a number than can be read."""
    for form in forms(pattern):
        for index, part in enumerate(form.layout):
            if not isinstance(part, str) and part[1] == _MOST_DIGITS:
                split: tuple[Part, ...] = ((1, 1), (_MOST_DIGITS, _MOST_DIGITS))
                yield (*form.layout[:index], *split, *form.layout[index + 1 :])


def moments(k: Kernels, texts: Array, pattern: str) -> tuple[Array, Array | None]:
    """Microseconds of texts in one of PATTERNS, and the mask of those that do not fit it.

    Of the local clock, or UTC if the pattern has an offset. Fields that are not in the pattern are
    those of 1970-01-01 00:00:00.
    """
    first, *others = forms(pattern)
    found = _read(k, texts, first)
    failed = _missing(k, texts, found)
    for form in others:
        if not k.logic.any(failed):
            return found, None
        (rest,) = k.columns.filter([texts], failed)
        part = k.columns.scatter(_read(k, rest, form), failed)
        found = k.logic.if_else(failed, part, found)
        failed = _missing(k, texts, found)
    if not k.logic.any(failed):
        return found, None
    (rest,) = k.columns.filter([texts], failed)
    for layout in _longer(pattern):
        if k.columns.null_count(k.parse.numbers(rest, layout)[0]) < k.columns.length(rest):
            raise EngineLimit(f"a number has more than {_MOST_DIGITS} digits")
    return found, failed


def _missing(k: Kernels, texts: Array, found: Array) -> Array:
    return k.logic.and_(k.logic.is_valid(texts), k.logic.is_null(found))


def _read(k: Kernels, texts: Array, form: Form) -> Array:
    """Microseconds of the texts in a form, null for those that do not fit."""
    numbers = k.parse.numbers(texts, form.layout)
    parts = {field: Longs(k, number) for field, number in zip(form.fields, numbers, strict=True)}
    dates = _dates(k, parts, form.year_sign, numbers[0])
    clock, wrong = _clock(k, parts, form, Longs(k, numbers[0]) * 0)
    midnight, _ = k.datetime.from_date(dates)
    return k.logic.null_where((Longs(k, midnight) + clock).data, wrong)


def _dates(k: Kernels, parts: Mapping[str, Longs], sign: int, like: Array) -> Array:
    """The dates of the parts that there are; null if there is no such day."""
    zero = Longs(k, like) * 0
    year = parts["yy"] + _CENTURY if "yy" in parts else parts.get("y", zero + 1970) * sign
    far = k.logic.or_(year.is_less(-_MOST_YEAR), year.is_greater(_MOST_YEAR))
    if k.logic.any(far):
        raise EngineLimit(f"a year is beyond {_MOST_YEAR}")
    if sign < 0 and k.logic.any(year.equals(0)):
        year = Longs(k, k.logic.null_where(year.data, year.equals(0)))
    fields = [year, parts.get("M", zero + 1), parts.get("d", zero + 1)]
    dates, _ = k.datetime.from_civil(*(_integers(k, field) for field in fields))
    return dates


def _integers(k: Kernels, numbers: Longs) -> Array:
    """As integers; null if they do not fit, which no field of a date does."""
    return k.cast.narrow_integer_checked(numbers.data, INTEGER)[0]


def _clock(k: Kernels, parts: Mapping[str, Longs], form: Form, zero: Longs) -> tuple[Longs, Array]:
    """Microseconds since midnight, minus the offset, and the mask of wrong times."""
    total = zero
    wrong = zero.is_less(0)
    for field, number in parts.items():
        if field in _UNITS:
            unit, limit = _UNITS[field]
            wrong = k.logic.or_(wrong, k.logic.not_(number.is_less(limit)))
            signed = unit * form.offset_sign if field.startswith("offset") else unit
            total = total + number * signed
    if "offset hours" in parts:
        minutes = parts["offset hours"] * 60 + parts["offset minutes"]
        wrong = k.logic.or_(wrong, minutes.is_greater(_MOST_OFFSET * 60))
    return total, k.logic.and_(wrong, k.logic.is_valid(zero.data))


_UNITS: Mapping[str, tuple[int, int]] = {
    "H": (HOUR, 24),
    "m": (MINUTE, 60),
    "s": (MICROSECONDS, 60),
    **{f"S{digits}": (10 ** (6 - digits), MICROSECONDS) for digits in range(1, 7)},
    "offset hours": (-HOUR, _MOST_OFFSET + 1),
    "offset minutes": (-MINUTE, 60),
}
"""Microseconds of the fields of a clock, and the number that they stay below."""
