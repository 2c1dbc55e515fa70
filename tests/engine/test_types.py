"""Spark's types from their JSON."""

from __future__ import annotations

import pytest

from broadhead.errors import Unsupported
from broadhead.types import DAY_TIME_INTERVAL, YEAR_MONTH_INTERVAL, IntervalType, parse_type

DAY = 86_400_000_000
HOUR = 3_600_000_000
MINUTE = 60_000_000


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("year", 12),
        ("month", 1),
        ("year to month", 1),
    ],
)
def test_year_month_intervals(text: str, unit: int) -> None:
    found = parse_type(f"interval {text}")
    assert found == IntervalType("year_month_interval", unit)
    assert (found == YEAR_MONTH_INTERVAL) == (unit == 1)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("day", DAY),
        ("day to hour", HOUR),
        ("hour", HOUR),
        ("day to minute", MINUTE),
        ("hour to minute", MINUTE),
        ("minute", MINUTE),
        ("day to second", 1),
        ("hour to second", 1),
        ("minute to second", 1),
        ("second", 1),
    ],
)
def test_day_time_intervals(text: str, unit: int) -> None:
    found = parse_type(f"interval {text}")
    assert found == IntervalType("day_time_interval", unit)
    assert (found == DAY_TIME_INTERVAL) == (unit == 1)


@pytest.mark.parametrize("text", ["interval", "interval week", "interval day to", "time(6)"])
def test_other_types(text: str) -> None:
    with pytest.raises(Unsupported):
        parse_type(text)
