"""Symbols of plain Python functions: strings and dates."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.expressions.traced_calls import HOST_TEXT, REPLACE_TEXT
from broadhead.plan.expressions import Literal
from broadhead.tracing import terms
from broadhead.tracing.numbers import Bounds
from broadhead.tracing.python_values import (
    PythonBool,
    PythonInt,
    PythonValue,
    different_types,
    lifted,
)
from broadhead.tracing.refusal import PathRaises, Untraceable
from broadhead.tracing.symbol import Method
from broadhead.tracing.text_parts import split
from broadhead.tracing.text_slices import character, sliced
from broadhead.types import BOOLEAN, DATE, INTEGER, LONG, STRING

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression

WHITESPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""What `str.strip` removes, and Arrow's `utf8_trim_whitespace` too."""
TRIMS = {"strip": "StringTrim", "lstrip": "StringTrimLeft", "rstrip": "StringTrimRight"}
PREDICATES = {"startswith": "StartsWith", "endswith": "EndsWith"}
CASES = frozenset({"upper", "lower"})
HOST_METHODS = frozenset(
    {
        "capitalize",
        "casefold",
        "center",
        "ljust",
        "removeprefix",
        "removesuffix",
        "rjust",
        "swapcase",
        "title",
        "zfill",
    }
)
"""Methods that give a string and have no kernel."""
METHODS = CASES | HOST_METHODS | {"replace", "split", *TRIMS, *PREDICATES}
LONGEST_ARGUMENT = 1000
LONGEST = 2**31 - 1


def trimmed(name: str, text: Expression, characters: Any) -> Expression:
    """The string without whitespace or the given characters at an end."""
    if characters is not None and type(characters) is not str:
        raise Untraceable(f"it calls {name} with a value that is not a constant")
    removed = Literal(WHITESPACE if characters is None else characters, STRING)
    return terms.call(TRIMS[name], STRING, text, removed)


def replaced(text: Expression, old: Any, new: Any) -> Expression:
    """The string with all occurrences of a constant replaced by another."""
    if type(old) is not str or type(new) is not str or not old:
        raise Untraceable("it replaces a text that is not a constant")
    return terms.call(REPLACE_TEXT, STRING, text, pattern=old, replacement=new)


@dataclass(frozen=True)
class PythonText(PythonValue):
    """A str."""

    @property
    def shown(self) -> str:
        """The type."""
        return "a str"

    def truth(self) -> Expression:
        """Whether it has characters."""
        return terms.not_(terms.compare("==", self.expression, Literal("", STRING)))

    def binary(self, operator: str, other: Any, *, reflected: bool) -> Any:
        """Concatenation."""
        right = lifted(other)
        if operator in {"*", "%"}:
            raise Untraceable(f"it uses {operator} on a str")
        if operator != "+" or not isinstance(right, PythonText):
            raise PathRaises
        sides = (right, self) if reflected else (self, right)
        return PythonText(terms.call("Concat", STRING, *(side.expression for side in sides)))

    def compare(self, operator: str, other: Any) -> Any:
        """By code points, as Spark by bytes."""
        right = lifted(other)
        if not isinstance(right, PythonText):
            return different_types(operator)
        return PythonBool(terms.compare(operator, self.expression, right.expression))

    def contains(self, member: Any) -> Any:
        """Whether the other string is in this one."""
        part = lifted(member)
        if not isinstance(part, PythonText):
            raise PathRaises
        return PythonBool(terms.call("Contains", BOOLEAN, self.expression, part.expression))

    def item(self, key: Any) -> Any:
        """A character or a slice."""
        if isinstance(key, slice):
            return PythonText(sliced(self.expression, key.start, key.stop, key.step))
        result, exists = character(self.expression, key)
        return PythonText(terms.required(result, exists))

    def formatted(self) -> Any:
        """The string itself."""
        return self

    def attribute(self, name: str) -> Any:
        """A method."""
        if name in METHODS:
            return Method(self, name)
        return super().attribute(name)

    def method(self, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """The result of a method."""
        if keywords:
            raise PathRaises
        if name in TRIMS:
            return PythonText(trimmed(name, self.expression, *(arguments or (None,))))
        if name in CASES | HOST_METHODS:
            return self._on_host(name, arguments)
        if name == "split":
            if len(arguments) != 1:
                raise Untraceable("it splits a string at whitespace, or a number of times")
            return split(self.expression, arguments[0], _part)
        if name == "replace":
            if len(arguments) != 2:
                raise Untraceable("it replaces a number of occurrences")
            return PythonText(replaced(self.expression, *arguments))
        return self._predicate(name, *arguments)

    def _on_host(self, name: str, arguments: Sequence[Any]) -> PythonText:
        for value in arguments:
            small = type(value) is int and abs(value) <= LONGEST_ARGUMENT
            if not small and type(value) is not str:
                raise Untraceable(f"it calls .{name} with a value that is not a constant")
        try:
            getattr("", name)(*arguments)
        except (TypeError, ValueError):
            raise PathRaises from None
        call = terms.call(
            HOST_TEXT,
            STRING,
            self.expression,
            method=f"str.{name}",
            arguments=tuple(arguments),
        )
        return PythonText(call)

    def _predicate(self, name: str, affix: Any, *ends: Any) -> PythonBool:
        if ends:
            raise Untraceable(f"it calls {name} with a range")
        affixes = affix if isinstance(affix, tuple) else (affix,)
        result: Expression = terms.FALSE
        for item in affixes:
            part = lifted(item)
            if not isinstance(part, PythonText):
                raise PathRaises
            found = terms.call(PREDICATES[name], BOOLEAN, self.expression, part.expression)
            result = terms.or_(result, found)
        return PythonBool(result)

    def size(self) -> PythonInt:
        """`len(x)`."""
        return PythonInt(terms.cast(terms.length(self.expression), LONG), Bounds(0, LONGEST))


def _part(part: Expression) -> PythonText:
    """A part of a split string; Python raises where there is none."""
    return PythonText(terms.required(part, terms.not_(terms.is_null(part))))


FIRST_DATE, LAST_DATE = datetime.date.min, datetime.date.max
EPOCH = datetime.date(1970, 1, 1).toordinal()
FIELDS = {"year": ("Year", 1, 9999), "month": ("Month", 1, 12), "day": ("DayOfMonth", 1, 31)}


@dataclass(frozen=True)
class PythonDate(PythonValue):
    """A `datetime.date`."""

    @property
    def shown(self) -> str:
        """The type."""
        return "a date"

    def truth(self) -> Expression:
        """True."""
        return terms.TRUE

    def compare(self, operator: str, other: Any) -> Any:
        """By time."""
        right = _date(other)
        if right is None:
            return different_types(operator)
        return PythonBool(terms.compare(operator, self.expression, right.expression))

    def attribute(self, name: str) -> Any:
        """A field, or a method."""
        if name in FIELDS:
            call, low, high = FIELDS[name]
            field = terms.call(call, INTEGER, self.expression)
            return PythonInt(terms.cast(field, LONG), Bounds(low, high))
        if name in {"weekday", "isoweekday"}:
            return Method(self, name)
        return super().attribute(name)

    def method(self, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """The day of the week."""
        if arguments or keywords:
            raise PathRaises
        day = PythonInt(
            terms.cast(terms.call("WeekDay", INTEGER, self.expression), LONG), Bounds(0, 6)
        )
        return day if name == "weekday" else day.binary("+", 1, reflected=False)

    def binary(self, operator: str, other: Any, *, reflected: bool) -> Any:
        """The days between two dates."""
        right = _date(other)
        if other is None:
            raise PathRaises
        if operator != "-" or right is None:
            return super().binary(operator, other, reflected=reflected)
        end, start = (right, self) if reflected else (self, right)
        days = terms.call("DateDiff", INTEGER, end.expression, start.expression)
        return PythonDays(terms.cast(days, LONG))


@dataclass(frozen=True)
class PythonDays(PythonValue):
    """A `datetime.timedelta` of whole days."""

    @property
    def shown(self) -> str:
        """The type."""
        return "a timedelta"

    def attribute(self, name: str) -> Any:
        """The number of days."""
        if name == "days":
            return PythonInt(self.expression, Bounds(-4_000_000, 4_000_000))
        return super().attribute(name)


def _date(value: Any) -> PythonDate | None:
    if isinstance(value, PythonDate):
        return value
    if type(value) is datetime.date:
        return PythonDate(Literal(value.toordinal() - EPOCH, DATE))
    return None
