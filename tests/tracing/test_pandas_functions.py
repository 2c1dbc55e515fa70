"""Scalar pandas functions against PySpark's own conversions and pandas itself."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from broadhead.tracing.signature import FunctionKind
from broadhead.types import (
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP_NTZ,
    DataType,
)
from tracing.comparison import check, signature

PANDAS = FunctionKind.SCALAR_PANDAS


def discounted(price: Any, quantity: Any) -> Any:
    total = price * quantity
    share = np.where(total > 1000, 0.1, np.where(total > 500, 0.05, 0.0))
    return total * (1 - share)


def age_group(age: Any) -> Any:
    conditions = [age < 18, age < 30, age < 50]
    return pd.Series(np.select(conditions, ["child", "young", "middle"], default="old"))


def mass_index(height: Any, weight: Any) -> Any:
    height = height / 100
    return (weight / (height**2)).round(1)


CASES: list[tuple[Callable[..., Any], DataType, tuple[DataType, ...]]] = [
    (lambda s: s + 1, LONG, (LONG,)),
    (lambda s: 1 - s, LONG, (SHORT,)),
    (lambda s: s * 2.5, DOUBLE, (DOUBLE,)),
    (lambda s: s * 2.5, DOUBLE, (FLOAT,)),
    (lambda s: s * 2.5, DOUBLE, (INTEGER,)),
    (lambda a, b: a * b + a, LONG, (INTEGER, LONG)),
    (lambda a, b: a - b, DOUBLE, (FLOAT, INTEGER)),
    (lambda a, b: a / b, DOUBLE, (INTEGER, LONG)),
    (lambda a, b: a // b, LONG, (INTEGER, LONG)),
    (lambda a, b: a % b, LONG, (INTEGER, LONG)),
    (lambda a, b: (a // b).isna() | (a % b).fillna(1).isna(), BOOLEAN, (INTEGER, LONG)),
    (lambda a, b: a // b, DOUBLE, (DOUBLE, DOUBLE)),
    (lambda a, b: a % b, DOUBLE, (DOUBLE, DOUBLE)),
    (lambda a: a % 7, INTEGER, (INTEGER,)),
    (lambda a: a // -3, INTEGER, (INTEGER,)),
    (lambda a: a % 7, DOUBLE, (DOUBLE,)),
    (lambda a: a**2, LONG, (INTEGER,)),
    (lambda a: a**2, DOUBLE, (DOUBLE,)),
    (lambda a: a**0.5, DOUBLE, (DOUBLE,)),
    (lambda a: -a, LONG, (LONG,)),
    (lambda a: -a, DOUBLE, (LONG,)),
    (lambda a: a.add(1).mul(2).rsub(7), DOUBLE, (DOUBLE,)),
    (lambda a, b: np.add(a, b) * np.subtract(a, 1), LONG, (BYTE, SHORT)),
    (lambda a: a.abs(), LONG, (LONG,)),
    (lambda a: abs(a), INTEGER, (INTEGER,)),
    (lambda a: a.fillna(0), LONG, (LONG,)),
    (lambda a: a.fillna(0.0), DOUBLE, (DOUBLE,)),
    (lambda a, b: a.fillna(b), DOUBLE, (DOUBLE, INTEGER)),
    (lambda a: a.fillna("x"), STRING, (STRING,)),
    (lambda a: a.isna(), BOOLEAN, (DOUBLE,)),
    (lambda a: pd.isnull(a) | a.isna(), BOOLEAN, (LONG,)),
    (lambda a: a.notnull(), BOOLEAN, (STRING,)),
    (lambda a: a.notna(), BOOLEAN, (BOOLEAN,)),
    (lambda a: a.clip(0, 100), DOUBLE, (DOUBLE,)),
    (lambda a: a.clip(0, 100), LONG, (LONG,)),
    (lambda a: np.clip(a, -1.5, 2.5), DOUBLE, (DOUBLE,)),
    (lambda a: a.clip(lower=0), LONG, (INTEGER,)),
    (lambda a: a.where(a > 0, 0), DOUBLE, (DOUBLE,)),
    (lambda a: a.where(a > 0), DOUBLE, (INTEGER,)),
    (lambda a: a.where(a > 0), LONG, (LONG,)),
    (lambda a: a.mask(a < 0, -1), LONG, (INTEGER,)),
    (lambda a, b: a.where(a >= b, b), LONG, (LONG, LONG)),
    (lambda a: pd.Series(np.where(a > 0, 1, 0)), INTEGER, (DOUBLE,)),
    (lambda a: pd.Series(np.where(a > 0, a, 0.0)), DOUBLE, (DOUBLE,)),
    (lambda a: pd.Series(np.where(a > 0, a, 0)), LONG, (LONG,)),
    (lambda a: pd.Series(np.where(a.isna(), np.nan, 2)), DOUBLE, (LONG,)),
    (lambda a: pd.Series(np.where(a > 0, "high", "low")), STRING, (DOUBLE,)),
    (lambda a: pd.Series(np.where(a == "a", a, "other")), STRING, (STRING,)),
    (lambda a: pd.Series(np.select([a > 9, a > 0], [2, 1], 0), index=a.index), INTEGER, (DOUBLE,)),
    (lambda a: np.maximum(a, 0), DOUBLE, (DOUBLE,)),
    (lambda a: np.maximum(a, 0), LONG, (LONG,)),
    (lambda a, b: np.maximum(a, b), DOUBLE, (DOUBLE, DOUBLE)),
    (lambda a, b: np.minimum(a, b), DOUBLE, (DOUBLE, LONG)),
    (lambda a: np.minimum(3.5, a), DOUBLE, (DOUBLE,)),
    (lambda a: np.sqrt(a), DOUBLE, (DOUBLE,)),
    (lambda a: np.sqrt(a.abs()), DOUBLE, (LONG,)),
    (lambda a: np.square(a), DOUBLE, (DOUBLE,)),
    (lambda a: np.floor(a), DOUBLE, (DOUBLE,)),
    (lambda a: np.ceil(a), DOUBLE, (DOUBLE,)),
    (lambda a: np.trunc(a), DOUBLE, (DOUBLE,)),
    (lambda a: np.sign(a), DOUBLE, (DOUBLE,)),
    (lambda a: np.rint(a), DOUBLE, (FLOAT,)),
    (lambda a: a.round(2), DOUBLE, (DOUBLE,)),
    (lambda a: np.round(a), DOUBLE, (DOUBLE,)),
    (lambda a: a.round(1), DOUBLE, (LONG,)),
    (lambda a: a.astype(int), LONG, (DOUBLE,)),
    (lambda a: a.astype("int32"), INTEGER, (LONG,)),
    (lambda a: a.astype(float), DOUBLE, (LONG,)),
    (lambda a: a.astype(np.float32), FLOAT, (LONG,)),
    (lambda a: a.astype(bool), BOOLEAN, (DOUBLE,)),
    (lambda a: (a > 0).astype(int) * 3, LONG, (DOUBLE,)),
    (lambda a: (a > 0) * a, DOUBLE, (DOUBLE,)),
    (lambda a: a.between(1, 10), BOOLEAN, (DOUBLE,)),
    (lambda a: a.between(1, 10, inclusive="neither"), BOOLEAN, (LONG,)),
    (lambda a: a.isin([1, 2, 3]), BOOLEAN, (LONG,)),
    (lambda a: a.isin(["a", "b"]), BOOLEAN, (STRING,)),
    (lambda a: ~((a > 0) & (a < 5) ^ (a == 3)), BOOLEAN, (LONG,)),
    (lambda a: np.isnan(a) | np.isinf(a), BOOLEAN, (DOUBLE,)),
    (lambda a: np.logical_not(np.isfinite(a)), BOOLEAN, (DOUBLE,)),
    (lambda a: a.str.upper(), STRING, (STRING,)),
    (lambda a: a.fillna("").str.lower().str.strip(), STRING, (STRING,)),
    (lambda a: a.str[:3] + "_" + a.str[-3:], STRING, (STRING,)),
    (lambda a: a.str[1:-1], STRING, (STRING,)),
    (lambda a: a.str[0], STRING, (STRING,)),
    (lambda a: a.str.get(2), STRING, (STRING,)),
    (lambda a: a.str.slice(1, 2), STRING, (STRING,)),
    (lambda a: a.str.len(), LONG, (STRING,)),
    (lambda a: a.str.contains("a", na=False), BOOLEAN, (STRING,)),
    (lambda a: a.str.startswith("a", na=False), BOOLEAN, (STRING,)),
    (lambda a: a.str.endswith(("a", "b"), na=True), BOOLEAN, (STRING,)),
    (lambda a: a.str.lstrip("x").str.rstrip(), STRING, (STRING,)),
    (lambda a: a.replace(0, np.nan), DOUBLE, (DOUBLE,)),
    (lambda a: a.replace(0, 7), LONG, (LONG,)),
    (lambda a: a.replace("a", "b"), STRING, (STRING,)),
    (lambda a, b: a / b.replace(0, np.nan), DOUBLE, (DOUBLE, DOUBLE)),
    (lambda a, b: a.combine_first(b), DOUBLE, (DOUBLE, DOUBLE)),
    (lambda a, b: a.str.cat(b, sep=" "), STRING, (STRING, STRING)),
    (lambda a: a.str.replace("a", "xyz"), STRING, (STRING,)),
    (lambda a: a.str.split("b").str[0], STRING, (STRING,)),
    (lambda a: a.str.split("b").str.get(1).fillna("none"), STRING, (STRING,)),
    (lambda a: a, LONG, (DOUBLE,)),
    (lambda a: a, INTEGER, (LONG,)),
    (lambda a: a, FLOAT, (LONG,)),
    (lambda a: a, BOOLEAN, (BOOLEAN,)),
    (lambda a: a, DATE, (DATE,)),
    (lambda a: a.dt.year, INTEGER, (TIMESTAMP_NTZ,)),
    (lambda a: a.dt.hour * 60 + a.dt.minute, INTEGER, (TIMESTAMP_NTZ,)),
    (lambda a: (a.dt.dayofweek >= 5) | (a.dt.quarter == 1), BOOLEAN, (TIMESTAMP_NTZ,)),
    (discounted, DOUBLE, (DOUBLE, INTEGER)),
    (age_group, STRING, (INTEGER,)),
    (mass_index, DOUBLE, (DOUBLE, DOUBLE)),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_a_function_means_what_it_gives(case: int) -> None:
    function, returns, arguments = CASES[case]
    check(function, signature(PANDAS, returns, *arguments))


@pytest.mark.parametrize("case", range(0, len(CASES), 3))
def test_arguments_that_are_never_null(case: int) -> None:
    function, returns, arguments = CASES[case]
    check(function, signature(PANDAS, returns, *arguments, nullable=False, safe=True))


@pytest.mark.parametrize("compare", ["lt", "le", "gt", "ge", "eq", "ne"])
@pytest.mark.parametrize(
    "types", [(DOUBLE, DOUBLE), (LONG, DOUBLE), (LONG, LONG), (FLOAT, INTEGER), (SHORT, FLOAT)]
)
def test_comparisons_are_false_for_missing_values(
    compare: str, types: tuple[DataType, DataType]
) -> None:
    apply = getattr(operator, compare)
    check(_comparison(apply), signature(PANDAS, BOOLEAN, *types))


def _comparison(apply: Any) -> Callable[..., Any]:
    return {
        operator.lt: lambda a, b: a < b,
        operator.le: lambda a, b: a <= b,
        operator.gt: lambda a, b: a > b,
        operator.ge: lambda a, b: a >= b,
        operator.eq: lambda a, b: a == b,
        operator.ne: lambda a, b: a != b,
    }[apply]


@pytest.mark.parametrize("safe", [False, True])
@pytest.mark.parametrize(
    ("returns", "argument"),
    [
        (LONG, DOUBLE),
        (INTEGER, DOUBLE),
        (INTEGER, LONG),
        (FLOAT, DOUBLE),
        (FLOAT, LONG),
        (BYTE, SHORT),
    ],
)
def test_results_are_cast_as_the_setting_says(
    returns: DataType, argument: DataType, *, safe: bool
) -> None:
    for nullable in (True, False):
        check(lambda s: s, signature(PANDAS, returns, argument, nullable=nullable, safe=safe))
