"""Scalar Arrow functions against pyarrow itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from broadhead.tracing.signature import FunctionKind
from broadhead.types import BOOLEAN, BYTE, DATE, DOUBLE, FLOAT, INTEGER, LONG, STRING, DataType
from tracing.comparison import check, signature

CASES: list[tuple[Callable[..., Any], DataType, tuple[DataType, ...]]] = [
    (lambda x: pc.add(x, 1), LONG, (LONG,)),
    (lambda x: pc.add(x, 1), LONG, (INTEGER,)),
    (lambda x: pc.add(x, 1), INTEGER, (INTEGER,)),
    (lambda x, y: pc.subtract(x, y), DOUBLE, (LONG, DOUBLE)),
    (lambda x, y: pc.add(x, y), DOUBLE, (INTEGER, DOUBLE)),
    (lambda x, y: pc.multiply_checked(x, y), LONG, (LONG, LONG)),
    (lambda x, y: pc.multiply(x, y), LONG, (LONG, LONG)),
    (lambda x, y: pc.divide(x, y), LONG, (LONG, LONG)),
    (lambda x, y: pc.divide(x, y), INTEGER, (INTEGER, INTEGER)),
    (lambda x, y: pc.divide(x, y), DOUBLE, (DOUBLE, DOUBLE)),
    (lambda x, y: pc.divide_checked(x, y), DOUBLE, (DOUBLE, DOUBLE)),
    (lambda x, y: pc.and_(pc.greater(x, 0), pc.less(y, 1)), BOOLEAN, (DOUBLE, DOUBLE)),
    (lambda x, y: pc.or_kleene(pc.greater(x, 0), pc.less(y, 1)), BOOLEAN, (DOUBLE, LONG)),
    (lambda x, y: pc.xor(pc.greater(x, 0), pc.less(y, 1)), BOOLEAN, (DOUBLE, DOUBLE)),
    (lambda x: pc.invert(x), BOOLEAN, (BOOLEAN,)),
    (lambda x: pc.if_else(pc.greater(x, 0), x, 0.0), DOUBLE, (DOUBLE,)),
    (lambda x: pc.if_else(pc.greater(x, 0), "positive", "negative"), STRING, (DOUBLE,)),
    (lambda x: pc.if_else(pc.is_null(x), 0, x), LONG, (LONG,)),
    (lambda x, y: pc.if_else(pc.is_null(y), x, y), DOUBLE, (LONG, DOUBLE)),
    (lambda x: pc.fill_null(x, 0), LONG, (LONG,)),
    (lambda x, y: pc.coalesce(x, y), STRING, (STRING, STRING)),
    (lambda x: pc.cast(x, pa.float64()), DOUBLE, (LONG,)),
    (lambda x: x.cast("int32"), INTEGER, (DOUBLE,)),
    (lambda x: x, FLOAT, (DOUBLE,)),
    (lambda x: x, LONG, (FLOAT,)),
    (lambda x: x, STRING, (LONG,)),
    (lambda x: x, BYTE, (INTEGER,)),
    (lambda x: pc.utf8_upper(x), STRING, (STRING,)),
    (lambda x: pc.utf8_trim_whitespace(pc.utf8_lower(x)), STRING, (STRING,)),
    (lambda x: pc.utf8_trim(x, "x"), STRING, (STRING,)),
    (lambda x: pc.starts_with(x, "a"), BOOLEAN, (STRING,)),
    (lambda x: pc.match_substring(x, pattern="b"), BOOLEAN, (STRING,)),
    (lambda x: pc.utf8_length(x), INTEGER, (STRING,)),
    (lambda x: pc.utf8_slice_codeunits(x, 0, 2), STRING, (STRING,)),
    (lambda x, y: pc.binary_join_element_wise(x, y, "-"), STRING, (STRING, STRING)),
    (lambda x: pc.year(x), INTEGER, (DATE,)),
    (lambda x: pc.add(pc.multiply(pc.month(x), 100), pc.day_of_week(x)), LONG, (DATE,)),
    (lambda x: pc.floor(x), DOUBLE, (DOUBLE,)),
    (lambda x: pc.ceil(x), DOUBLE, (DOUBLE,)),
    (lambda x: pc.sqrt(x), DOUBLE, (DOUBLE,)),
    (lambda x: pc.negate(x), LONG, (LONG,)),
    (lambda x: pc.abs_checked(x), LONG, (LONG,)),
    (lambda x: pc.is_nan(x), BOOLEAN, (DOUBLE,)),
    (lambda x: pc.is_null(x, nan_is_null=True), BOOLEAN, (DOUBLE,)),
]


@pytest.mark.parametrize("nullable", [True, False])
@pytest.mark.parametrize("case", range(len(CASES)))
def test_a_function_means_what_it_gives(case: int, *, nullable: bool) -> None:
    function, returns, arguments = CASES[case]
    check(function, signature(FunctionKind.SCALAR_ARROW, returns, *arguments, nullable=nullable))


COMPARISONS: dict[str, Callable[..., Any]] = {
    "equal": lambda x, y: pc.equal(x, y),
    "not_equal": lambda x, y: pc.not_equal(x, y),
    "less": lambda x, y: pc.less(x, y),
    "less_equal": lambda x, y: pc.less_equal(x, y),
    "greater": lambda x, y: pc.greater(x, y),
    "greater_equal": lambda x, y: pc.greater_equal(x, y),
}


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize(
    "types", [(DOUBLE, DOUBLE), (FLOAT, DOUBLE), (LONG, DOUBLE), (INTEGER, LONG), (STRING, STRING)]
)
def test_comparisons_are_null_for_null_and_false_for_nan(
    name: str, types: tuple[DataType, DataType]
) -> None:
    check(COMPARISONS[name], signature(FunctionKind.SCALAR_ARROW, BOOLEAN, *types))
