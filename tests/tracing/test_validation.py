"""An expression that differs from its function is refused before it is used."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from broadhead.columns import Batch, Column
from broadhead.expressions.compiler import compile_program
from broadhead.expressions.program import Services
from broadhead.tracing import terms
from broadhead.tracing.python_text import WHITESPACE
from broadhead.tracing.signature import FunctionKind
from broadhead.tracing.trace import Refused, Traced
from broadhead.types import DOUBLE, FLOAT, LONG, DataType
from engine.fragments import column, kernels_under_test
from tracing.comparison import check, compared, signature

WRONG: list[Any] = [
    (lambda x: x + 1.0, lambda x: x + 1.5),
    (lambda x: x * 1.0, lambda x: 0.0 - (0.0 - x)),
    (lambda x: 0.0 if x is None else x, lambda x: x),
    (lambda x: x if x == x else 0.0, lambda x: x),
    (lambda x: x if x != 7.0 else 1.0, lambda x: x),
    (lambda x: x / 2.0, lambda x: x / 2.0 if x else 1 / 0),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_a_difference_is_found(case: int) -> None:
    written, real = WRONG[case]
    form = signature(FunctionKind.PLAIN, DOUBLE, DOUBLE)
    traced = check(written, form)
    result = compared(real, form, traced)
    assert isinstance(result, Refused)
    assert result.reason.startswith("its traced meaning differs")


def test_an_expression_that_raises_for_most_rows_is_of_no_use() -> None:
    form = signature(FunctionKind.PLAIN, DOUBLE, DOUBLE)
    never = Traced(terms.guarded(column(0, DOUBLE), terms.FALSE))
    assert isinstance(compared(lambda x: x, form, never), Refused)


def test_whitespace_is_what_python_strips() -> None:
    spaces = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()]
    assert sorted(WHITESPACE) == spaces


@pytest.mark.parametrize("data_type", [DOUBLE, FLOAT])
def test_roundings_and_divisions_of_floats_are_those_of_numpy(data_type: DataType) -> None:
    dtype = np.float64 if data_type == DOUBLE else np.float32
    random = np.random.default_rng(0)
    special = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, math.inf, -math.inf, math.nan, 1e30, -4.0, 3.0]
    parts = [special, random.normal(0, 3, 300), random.normal(0, 1e9, 300), np.arange(-9, 9) / 2]
    values = np.concatenate(parts).astype(dtype)
    left, right = (a.ravel() for a in np.meshgrid(values, values[:60]))
    left, right = left[right != 0], right[right != 0]
    x, y = column(0, data_type), column(1, data_type)
    with np.errstate(all="ignore"):
        expected = {
            "RoundToEven": np.rint(left),
            "FloorFloat": np.floor(left),
            "IeeeSqrt": np.sqrt(left),
            "IeeeDivide": left / right,
            "FloorQuotient": np.floor_divide(left, right),
            "FloorRemainder": np.remainder(left, right),
        }
    for name, result in expected.items():
        children = (x,) if name in {"RoundToEven", "FloorFloat", "IeeeSqrt"} else (x, y)
        own = evaluated(terms.call(name, data_type, *children), data_type, left, right)
        same = (own == result) & (np.signbit(own) == np.signbit(result))
        wrong = ~(same | (np.isnan(own) & np.isnan(result)))
        assert not wrong.any(), (name, left[wrong][:3], right[wrong][:3])


@pytest.mark.parametrize("divisor", [1, -1, 3, -3, 7, -(2**40)])
def test_divisions_of_integers_are_those_of_python(divisor: int) -> None:
    values = [0, 1, -1, 5, -5, 2**62, -(2**62), 10**18 + 1, -(10**18) - 1]
    x, y = column(0, LONG), terms.Literal(divisor, LONG)
    array = np.array(values)
    quotients = evaluated(terms.call("FloorQuotient", LONG, x, y), LONG, array)
    rests = evaluated(terms.call("FloorRemainder", LONG, x, y), LONG, array)
    assert quotients.tolist() == [value // divisor for value in values]
    assert rests.tolist() == [value % divisor for value in values]


def evaluated(expression: Any, data_type: DataType, *arrays: Any) -> Any:
    kernels = kernels_under_test()
    columns = tuple(
        Column(kernels.columns.from_arrow(pa.array(array), data_type), data_type)
        for array in arrays
    )
    program = compile_program(kernels, [expression], {}, Services())
    (result,) = program.evaluate(Batch(columns, len(arrays[0])), Services())
    return kernels.columns.to_arrow(result.data, data_type).to_numpy(zero_copy_only=False)
