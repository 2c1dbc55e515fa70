"""Functions whose results depend on their own rows alone, and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pytest

from broadhead.tracing.row_wise import RowWise, is_row_wise, row_wise
from broadhead.tracing.signature import FunctionKind
from broadhead.types import BOOLEAN, DOUBLE, LONG, STRING, DataType
from tracing.comparison import signature

PANDAS, ARROW = FunctionKind.SCALAR_PANDAS, FunctionKind.SCALAR_ARROW

ROW_WISE: list[tuple[FunctionKind, Callable[..., Any], DataType]] = [
    (PANDAS, lambda s: s * 2 + 1, DOUBLE),
    (PANDAS, lambda s: np.log1p(np.exp(s)), DOUBLE),
    (PANDAS, lambda s: 1 / (1 + np.exp(-s)), DOUBLE),
    (PANDAS, lambda s: s**3 + s**-0.5, DOUBLE),
    (PANDAS, lambda s: np.arctan2(s, 1.0).round(3), DOUBLE),
    (PANDAS, lambda s: s.replace(0.0, 1.0), DOUBLE),
    (PANDAS, lambda s: pd.Series(np.where(s > 0, np.log(s), 0.0)), DOUBLE),
    (PANDAS, lambda s: s.str.replace("a", "b").str.title(), STRING),
    (PANDAS, lambda s: s.str.contains("^a.*", na=False), STRING),
    (PANDAS, lambda s: s.map({"a": 1.0, "b": 2.5}).fillna(0.0), STRING),
    (ARROW, lambda a: pc.ln(pc.add(a, 1)), DOUBLE),
    (ARROW, lambda a: pc.replace_substring_regex(a, "a+", "b"), STRING),
    (FunctionKind.PLAIN, lambda x: hash(x), DOUBLE),
]
NOT_ROW_WISE: list[tuple[FunctionKind, Callable[..., Any], DataType]] = [
    (PANDAS, lambda s: s - s.mean(), DOUBLE),
    (PANDAS, lambda s: s.cumsum(), DOUBLE),
    (PANDAS, lambda s: np.add.accumulate(s), DOUBLE),
    (PANDAS, lambda s: s.map({"a": 1, "b": 2}), STRING),
    (PANDAS, lambda s: s.apply(print), DOUBLE),
    (PANDAS, lambda s: s.interpolate(), DOUBLE),
    (PANDAS, lambda s: s.str.cat(), STRING),
    (ARROW, lambda a: pc.cumulative_sum(a), DOUBLE),
    (ARROW, lambda a: pc.subtract(a, pc.mean(a)), DOUBLE),
    (ARROW, lambda a: pc.fill_null_forward(a), DOUBLE),
]


@pytest.mark.parametrize("case", range(len(ROW_WISE)))
def test_these_depend_on_their_own_row(case: int) -> None:
    kind, function, argument = ROW_WISE[case]
    assert is_row_wise(function, signature(kind, DOUBLE, argument))


@pytest.mark.parametrize("case", range(len(NOT_ROW_WISE)))
def test_these_depend_on_other_rows(case: int) -> None:
    kind, function, argument = NOT_ROW_WISE[case]
    assert row_wise(function, signature(kind, DOUBLE, argument)) is None


@pytest.mark.parametrize("argument", [LONG, BOOLEAN])
def test_a_null_changes_the_dtype_of_a_column(argument: DataType) -> None:
    form = signature(PANDAS, BOOLEAN, DOUBLE, argument)
    assert row_wise(lambda a, b: (a > 0) & (b == 1), form) == RowWise(without_nulls=(1,))
    assert is_row_wise(lambda a, b: a > b, signature(PANDAS, BOOLEAN, DOUBLE, LONG, nullable=False))


def test_a_missing_value_makes_integers_floats() -> None:
    form = signature(PANDAS, LONG, LONG, nullable=False)
    assert row_wise(lambda s: s.where(s > 0), form) is None
    assert row_wise(lambda a: a // a, form) is None
