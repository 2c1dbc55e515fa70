"""Symbols of pandas functions: Series and numpy arrays, with the dtypes that they may have.

The dtype of a column depends on its batch: integers with a null come as float64 with NaN, booleans
with a null as objects. Nobody knows the batches, so a *loose* symbol may have either dtype. Its
expression is exact for both, or raises.

A null and NaN are the same in pandas. The expression of a float may be either where it is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.plan.expressions import Literal
from broadhead.tracing import terms
from broadhead.tracing.numbers import EXACT_BOUNDS, Bounds, bounds_of
from broadhead.tracing.refusal import Untraceable
from broadhead.tracing.symbol import Method, Symbol
from broadhead.types import BOOLEAN, BYTE, DOUBLE, FLOAT, INTEGER, LONG, SHORT, STRING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.plan.expressions import Expression
    from broadhead.types import DataType


class Kind(Enum):
    """What the values of a Series are, in reasons too."""

    INT = "integers"
    FLOAT = "floats"
    BOOL = "booleans"
    TEXT = "strings"
    DATE = "dates"
    TIME = "timestamps"
    SPAN = "timedeltas"


FLOAT64 = np.dtype("float64")
SPARK_TYPES: dict[str, DataType] = {
    "int8": BYTE,
    "int16": SHORT,
    "int32": INTEGER,
    "int64": LONG,
    "float32": FLOAT,
    "float64": DOUBLE,
    "bool": BOOLEAN,
}
DTYPES = {data_type: np.dtype(name) for name, data_type in SPARK_TYPES.items()}
NUMBERS = (bool, int, float, np.number, np.bool_)


@dataclass(frozen=True)
class Series(Symbol):
    """A pandas Series, or a numpy array if `is_array`.

    Of integers: `bounds`, and where loose ones are -0.0 as floats (`zero_signs`).
    """

    kind: Kind
    expression: Expression
    loose: bool = False
    bounds: Bounds | None = None
    is_array: bool = False
    negative_zero: Expression = terms.FALSE

    @property
    def shown(self) -> str:
        """What it is."""
        return f"{'an array' if self.is_array else 'a Series'} of {self.kind.value}"

    @property
    def dtypes(self) -> tuple[np.dtype[Any], ...]:
        """The numpy dtypes that it may have."""
        if self.kind not in (Kind.INT, Kind.FLOAT, Kind.BOOL):
            raise Untraceable(f"it computes with {self.shown}")
        if self.kind is Kind.BOOL and self.loose:
            raise Untraceable("it computes with booleans that may be null")
        dtype = DTYPES[self.expression.type]
        return (dtype, FLOAT64) if self.loose else (dtype,)

    @property
    def missing(self) -> Expression:
        """Whether pandas calls the value missing."""
        if self.kind is Kind.FLOAT:
            return terms.or_(terms.is_null(self.expression), terms.is_nan(self.expression))
        return terms.is_null(self.expression)

    @property
    def limits(self) -> Bounds:
        """The bounds of integers."""
        return self.bounds or bounds_of(self.expression.type)

    def loosened(self) -> Series:
        """Integers that an operation converts to float64 in some batches."""
        return replace(self, loose=True).settled() if self.kind is Kind.INT else self

    def settled(self) -> Series:
        """Integers that are the same as int64 and as float64; others are left to Python."""
        if not self.loose or self.limits.exact:
            return self
        return replace(
            self,
            expression=terms.exact_in_double(self.expression),
            bounds=self.limits.clipped(EXACT_BOUNDS),
        )

    def truth(self) -> Expression:
        """Refused: pandas raises."""
        raise Untraceable(f"it branches on {self.shown}")

    def binary(self, operator: str, other: Any, *, reflected: bool) -> Any:
        """Arithmetic, logic or concatenation, row by row."""
        from broadhead.tracing.pandas_arithmetic import combine

        sides = (other, self) if reflected else (self, other)
        return combine(operator, *sides)

    def compare(self, operator: str, other: Any) -> Any:
        """A comparison, row by row; false for missing values."""
        from broadhead.tracing.pandas_compare import compare

        return compare(operator, self, other)

    def unary(self, operator: str) -> Any:
        """The negated, same or inverted values."""
        if operator == "~" and self.kind is Kind.BOOL and not self.loose:
            return replace(self, expression=terms.not_(self.expression))
        if operator == "~" or self.kind not in (Kind.INT, Kind.FLOAT):
            raise Untraceable(f"it uses {operator} on {self.shown}")
        if operator == "+":
            return self
        if self.kind is Kind.FLOAT:
            return replace(self, expression=terms.negative(self.expression))
        if self.loose:
            return self.binary("*", -1, reflected=False)
        return integers(terms.negative(self.expression), self)

    def attribute(self, name: str) -> Any:
        """A method, an accessor or the array."""
        from broadhead.tracing import pandas_accessors

        found = pandas_accessors.attribute(self, name)
        return super().attribute(name) if found is None else found

    def method(self, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """The result of a method."""
        from broadhead.tracing import pandas_accessors

        return pandas_accessors.call(self, name, arguments, keywords)

    def item(self, key: Any) -> Any:
        """Refused: rows are selected."""
        raise Untraceable("it selects rows")

    def contains(self, member: Any) -> Any:
        """Refused: the index is searched."""
        raise Untraceable("it searches the index")


@dataclass(frozen=True)
class Index(Symbol):
    """The index of the arguments, which is only good for other Series."""

    @property
    def shown(self) -> str:
        """What it is."""
        return "an index"


__all__ = ["FLOAT64", "Index", "Kind", "Method", "Series"]


def integers(expression: Expression, *sources: Any, loose: bool = False) -> Series:
    """Integers of any value of their type."""
    return Series(Kind.INT, expression, loose, None, all_arrays(*sources))


def floats(expression: Expression, *sources: Any) -> Series:
    """Floats."""
    return Series(Kind.FLOAT, expression, is_array=all_arrays(*sources))


def booleans(condition: Expression, *sources: Any) -> Series:
    """Booleans without a missing value; null is false."""
    return Series(Kind.BOOL, terms.false_if_null(condition), is_array=all_arrays(*sources))


def texts(expression: Expression, *sources: Any) -> Series:
    """Strings."""
    return Series(Kind.TEXT, expression, is_array=all_arrays(*sources))


def all_arrays(*sources: Any) -> bool:
    """Whether the result of an operation is an array, as no operand is a Series."""
    symbols = [source for source in sources if isinstance(source, Series)]
    return bool(symbols) and all(symbol.is_array for symbol in symbols)


def is_number(value: Any) -> bool:
    """Whether a constant is a number or a boolean."""
    return isinstance(value, NUMBERS)


def converted(value: Any, dtype: np.dtype[Any]) -> Expression:
    """A numeric Series or constant in a dtype that numpy converts it to."""
    data_type = SPARK_TYPES[dtype.name]
    if isinstance(value, Series):
        expression = value.expression
        if data_type.is_floating:
            expression = terms.guarded(expression, terms.not_(value.negative_zero))
        return terms.cast(expression, data_type)
    if data_type.is_floating:
        return Literal(float(dtype.type(value)), data_type)
    whole = bool(value) if data_type == BOOLEAN else int(value)
    if data_type != BOOLEAN and (
        isinstance(value, float | np.floating) or not _fits(whole, data_type)
    ):
        raise Untraceable(f"the constant {value} is not one of {dtype.name}")
    return Literal(whole, data_type)


def _fits(value: int, data_type: DataType) -> bool:
    return Bounds(value, value).within(bounds_of(data_type))


def limits_of(value: Any) -> Bounds:
    """The bounds of an integral or boolean operand."""
    if isinstance(value, Series):
        return Bounds(0, 1) if value.kind is Kind.BOOL else value.limits
    return Bounds(int(value), int(value))


def text_constant(value: str) -> Literal:
    """A string."""
    return Literal(value, STRING)
