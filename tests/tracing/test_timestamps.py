"""Timestamps of pandas functions: local times of the session's zone, in the years of pandas."""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable
from functools import cache
from typing import Any

import pandas as pd
import pytest

from broadhead.functions.zones import DAY_SECONDS
from broadhead.plan.nodes import Zone
from broadhead.tracing.signature import (
    Argument,
    ConversionSettings,
    FunctionKind,
    FunctionSignature,
)
from broadhead.tracing.trace import Refused, Traced, trace
from broadhead.tracing.validate import validate
from broadhead.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    LONG,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
)
from engine.fragments import kernels_under_test
from engine.test_zones import rules
from tracing.comparison import check, signature
from tracing.pyspark_calls import calls

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "+05:30")
CASES: list[tuple[Callable[..., Any], DataType, int]] = [
    (lambda t: t.dt.hour, INTEGER, 1),
    (lambda t: t.dt.hour * 3600 + t.dt.minute * 60 + t.dt.second, INTEGER, 1),
    (lambda t: t.dt.year * 100 + t.dt.month, LONG, 1),
    (lambda t: t.dt.dayofweek >= 5, BOOLEAN, 1),
    (lambda t: t.dt.dayofyear // 7 + t.dt.quarter + t.dt.day, INTEGER, 1),
    (lambda t: t.dt.date, DATE, 1),
    (lambda t: t.isna(), BOOLEAN, 1),
    (lambda t: (t - t.dt.normalize()).dt.total_seconds(), DOUBLE, 1),
    (lambda a, b: (a - b).dt.days, LONG, 2),
    (lambda a, b: (a - b).dt.total_seconds() / 3600, DOUBLE, 2),
    (lambda a, b: a < b, BOOLEAN, 2),
]


@cache
def zone(name: str) -> Zone:
    if name.startswith("+"):
        hours, minutes = name.split(":")
        return Zone((), (int(hours) * 3600 + int(minutes) * 60,))
    return rules(zoneinfo.ZoneInfo(name), -200 * DAY_SECONDS, 25_000 * DAY_SECONDS)


@pytest.mark.parametrize("name", ZONES)
@pytest.mark.parametrize("case", range(len(CASES)))
def test_timestamps_are_local_times(case: int, name: str) -> None:
    function, returns, count = CASES[case]
    argument = Argument(TIMESTAMP, nullable=True)
    form = FunctionSignature(
        FunctionKind.SCALAR_PANDAS, (argument,) * count, returns, ConversionSettings(name)
    )
    traced = trace(function, form)
    assert isinstance(traced, Traced), traced.reason
    zones = {name: zone(name)}
    result = validate(traced, calls(function, form), form, kernels_under_test(), zones)
    assert isinstance(result, Traced), result.reason


def test_a_zone_that_the_fragment_does_not_have() -> None:
    form = signature(FunctionKind.SCALAR_PANDAS, INTEGER, TIMESTAMP)
    traced = trace(lambda t: t.dt.hour, form)
    assert isinstance(traced, Traced)
    result = validate(traced, lambda batch: None, form, kernels_under_test())
    assert result == Refused("the time zone UTC is not known to the fragment")


@pytest.mark.parametrize(
    ("function", "returns", "arguments"),
    [
        (lambda d: pd.to_datetime(d).dt.dayofweek >= 5, BOOLEAN, (DATE,)),
        (lambda d: pd.to_datetime(d).dt.year, INTEGER, (DATE,)),
        (lambda a, b: (pd.to_datetime(a) - pd.to_datetime(b)).dt.days, INTEGER, (DATE, DATE)),
        (lambda t: t.dt.floor("D"), TIMESTAMP_NTZ, (TIMESTAMP_NTZ,)),
        (lambda t: t, TIMESTAMP_NTZ, (TIMESTAMP_NTZ,)),
    ],
)
def test_dates_and_timestamps_without_zone(
    function: Callable[..., Any], returns: DataType, arguments: tuple[DataType, ...]
) -> None:
    check(function, signature(FunctionKind.SCALAR_PANDAS, returns, *arguments))
