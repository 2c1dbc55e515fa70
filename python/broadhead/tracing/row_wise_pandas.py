"""Operations of pandas and numpy that give each row its value, though not an exact expression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.plan.expressions import Call
from broadhead.tracing.known_values import is_constant
from broadhead.tracing.pandas_arithmetic import common_dtype, result_dtypes
from broadhead.tracing.pandas_functions import PandasDomain
from broadhead.tracing.pandas_series import SPARK_TYPES, Kind, Series, all_arrays, is_number
from broadhead.tracing.pandas_text import TextAccessor
from broadhead.tracing.refusal import Untraceable
from broadhead.tracing.symbol import Method, Symbol
from broadhead.types import BOOLEAN, DOUBLE, STRING

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression
    from broadhead.tracing.machine import Machine
    from broadhead.types import DataType

TEXT_METHODS = frozenset(
    {
        "capitalize",
        "center",
        "ljust",
        "pad",
        "removeprefix",
        "removesuffix",
        "replace",
        "rjust",
        "swapcase",
        "title",
        "zfill",
    }
)
TEXT_PREDICATES = frozenset({"contains", "fullmatch", "match"})
OPAQUE = "Opaque"


def _opaque(data_type: DataType) -> Expression:
    """A value that has no expression."""
    return Call(OPAQUE, data_type, True, ())


@dataclass(frozen=True)
class OpaqueMethods(Symbol):
    """The methods of a Series, or of its `str`, that are applied to each row."""

    owner: Symbol

    def method(self, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """An opaque Series of the method's dtype."""
        if not all(_is_plain(value) for value in (*arguments, *keywords.values())):
            raise Untraceable(f"it calls .{name} with other arguments")
        if name in TEXT_PREDICATES:
            if type(keywords.get("na")) is not bool:
                raise Untraceable(f"it calls .{name} without na=False")
            return Series(Kind.BOOL, _opaque_booleans())
        if name == "map":
            return _mapped(arguments, keywords)
        kind, data_type = (Kind.TEXT, STRING) if name in TEXT_METHODS else (Kind.FLOAT, DOUBLE)
        return Series(kind, _opaque(data_type))


def _opaque_booleans() -> Expression:
    return Call(OPAQUE, BOOLEAN, False, ())


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(is_constant, value))
    if isinstance(value, dict):
        return all(map(is_constant, (*value.keys(), *value.values())))
    return is_constant(value)


def _mapped(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Series:
    """`series.map(dict)`: missing keys become NaN, which makes a column of ints floats."""
    table = arguments[0] if len(arguments) == 1 and not keywords else None
    kinds = {type(value) for value in table.values()} if isinstance(table, dict) else set()
    if kinds == {float}:
        return Series(Kind.FLOAT, _opaque(DOUBLE))
    if kinds == {str}:
        return Series(Kind.TEXT, _opaque(STRING))
    raise Untraceable("it maps to values of other types")


class OpaquePandas(PandasDomain):
    """Like the traced operations, and those that have no exact expression."""

    def attribute(self, owner: Symbol, name: str) -> Any:
        """An attribute, or an opaque method."""
        try:
            return super().attribute(owner, name)
        except Untraceable:
            if isinstance(owner, TextAccessor) and name in TEXT_METHODS:
                return Method(OpaqueMethods(owner), name)
            if isinstance(owner, Series) and not owner.is_array and name == "map":
                return Method(OpaqueMethods(owner), name)
            if isinstance(owner, Series) and owner.kind is Kind.FLOAT and name == "replace":
                return Method(OpaqueMethods(owner), name)
            raise

    def method(self, method: Method, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """The result of a method, or an opaque one."""
        try:
            return super().method(method, arguments, keywords)
        except Untraceable:
            if isinstance(method.owner, TextAccessor) and method.name in TEXT_PREDICATES:
                return OpaqueMethods(method.owner).method(method.name, arguments, keywords)
            raise

    def binary(self, operator: str, left: Any, right: Any) -> Any:
        """Arithmetic; powers are opaque."""
        try:
            return super().binary(operator, left, right)
        except Untraceable:
            if operator != "**":
                raise
            return _of_ufunc(np.power, [left, right])

    def call(
        self, machine: Machine, function: Any, arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        """The result of a known function; one of another ufunc is opaque."""
        try:
            return super().call(machine, function, arguments, keywords)
        except Untraceable:
            if isinstance(function, np.ufunc) and not keywords:
                return _of_ufunc(function, arguments)
            raise


def _of_ufunc(ufunc: Any, arguments: Sequence[Any]) -> Series:
    if len(arguments) != ufunc.nin or ufunc.nout != 1 or ufunc.signature is not None:
        raise Untraceable("it calls a ufunc with other arguments")
    if not all(isinstance(value, Series) or is_number(value) for value in arguments):
        raise Untraceable("it calls a ufunc with other arguments")
    dtype, _ = common_dtype(result_dtypes(ufunc, *arguments))
    if dtype.kind != "f":
        raise Untraceable("it calls a ufunc that gives no floats")
    data_type = SPARK_TYPES[dtype.name]
    return Series(Kind.FLOAT, _opaque(data_type), is_array=all_arrays(*arguments))
