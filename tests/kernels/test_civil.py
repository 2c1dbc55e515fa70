"""Dates of their year, month and day."""

from __future__ import annotations

import datetime
import random

from broadhead.kernels.interface import Kernels
from broadhead.types import DATE, INTEGER
from kernels.physical import FAILED, array, check, check_checked, values

EPOCH = datetime.date(1970, 1, 1)
LEAST, MOST = -(2**31), 2**31 - 1


def _days(rows: int) -> list[int | None]:
    random_ = random.Random(3)
    least, most = (datetime.date.min - EPOCH).days, (datetime.date.max - EPOCH).days
    return [least, most, None, *(random_.randrange(least, most + 1) for _ in range(rows))]


def _check_civil(k: Kernels, days: list[int | None]) -> None:
    dates = [None if day is None else EPOCH + datetime.timedelta(day) for day in days]
    for number, part in enumerate(("year", "month", "day")):
        expected = [None if date is None else getattr(date, part) for date in dates]
        found = k.datetime.civil(array(k, days, DATE))[number]
        assert values(k, found, INTEGER) == expected


def test_civil(k: Kernels) -> None:
    _check_civil(k, _days(300))


def test_civil_of_many_days_that_lie_close_together(k: Kernels) -> None:
    _check_civil(k, [*range(-1_000, 1_000)] * 3)
    _check_civil(k, [None, *range(1_200)])


def test_from_civil(k: Kernels) -> None:
    rows: list[tuple[int | None, int | None, int | None, object]] = [
        (1970, 1, 1, 0),
        (2024, 2, 29, 19_782),
        (1, 1, 1, -719_162),
        (0, 3, 1, -719_468),
        (-5_877_641, 6, 23, LEAST),
        (5_881_580, 7, 11, MOST),
        (5_881_580, 7, 12, FAILED),
        (-5_877_641, 6, 22, FAILED),
        (2023, 2, 29, FAILED),
        (1900, 2, 29, FAILED),
        (2024, 0, 1, FAILED),
        (2024, 13, 1, FAILED),
        (2024, 4, 31, FAILED),
        (2024, 4, 0, FAILED),
        (MOST, 1, 1, FAILED),
        (LEAST, 1, MOST, FAILED),
        (None, 13, 1, None),
        (2024, None, 40, None),
        (2024, 1, None, None),
    ]
    arguments = [([row[place] for row in rows], INTEGER) for place in range(3)]
    expected = [row[3] for row in rows]
    check_checked(k, k.datetime.from_civil, arguments, DATE, expected, scalars=False)


def test_add_months_of_a_column(k: Kernels) -> None:
    days = [(datetime.date(2024, 1, 31) - EPOCH).days] * 6 + [None, 0]
    months = [1, -1, 0, 13, -11, 12_000, 1, None]
    expected = [
        (datetime.date(*date) - EPOCH).days
        for date in (
            *((2024, 2, 29), (2023, 12, 31), (2024, 1, 31), (2025, 2, 28)),
            *((2023, 2, 28), (3024, 1, 31)),
        )
    ]
    check(
        k,
        k.datetime.add_months,
        [(days, DATE), (months, INTEGER)],
        DATE,
        [*expected, None, None],
        scalars=False,
    )
