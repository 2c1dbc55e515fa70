"""Proleptic Gregorian dates and timestamps."""

from __future__ import annotations

import datetime
import random
import zoneinfo
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from broadhead.kernels.interface import Kernels
from broadhead.types import DATE, INTEGER, LONG, STRING, TIMESTAMP_NTZ, DataType
from kernels.physical import FAILED, array, check, check_checked, values

EPOCH = datetime.date(1970, 1, 1)
DAY = 86_400_000_000
LEAST, MOST = -(2**31), 2**31 - 1


def days() -> list[int]:
    """Ends of months and years over all that Python knows, and random days."""
    random_ = random.Random(11)
    first, last = (datetime.date.min - EPOCH).days, (datetime.date.max - EPOCH).days
    result = [first, last, 0, -1, 1]
    for year in (1, 4, 100, 400, 1582, 1600, 1900, 1969, 1970, 1999, 2000, 2023, 2024, 2100, 9999):
        for month, day in ((1, 1), (2, 28), (3, 1), (3, 31), (4, 1), (12, 31), (6, 30), (10, 1)):
            result.append((datetime.date(year, month, day) - EPOCH).days)
    return result + [random_.randrange(first, last + 1) for _ in range(500)]


def python_date(day: int) -> datetime.date:
    return EPOCH + datetime.timedelta(day)


FIELDS = {
    "year": lambda d: d.year,
    "quarter": lambda d: (d.month + 2) // 3,
    "month": lambda d: d.month,
    "day": lambda d: d.day,
    "day_of_week": lambda d: d.isoweekday() % 7 + 1,
    "day_of_year": lambda d: d.timetuple().tm_yday,
    "week": lambda d: d.isocalendar().week,
    "week_year": lambda d: d.isocalendar().year,
}


@pytest.mark.parametrize("field", FIELDS)
def test_fields(k: Kernels, field: Any) -> None:
    rows = days()
    expected = [FIELDS[field](python_date(day)) for day in rows]
    check(
        k, lambda a: k.datetime.field(a, field), [([*rows, None], DATE)], INTEGER,
        [*expected, None],
    )  # fmt: skip


def with_hidden(k: Kernels, days: Sequence[int], type: DataType) -> Any:
    """Each value as it is, then each under a null."""
    valid = np.packbits(np.arange(2 * len(days)) < len(days), bitorder="little")
    numbers = np.array([*days, *HIDDEN[: len(days)]], np.int32)
    buffers = [pa.py_buffer(valid), pa.py_buffer(numbers)]
    arrow = pa.date32() if type == DATE else pa.int32()
    return k.columns.from_arrow(pa.Array.from_buffers(arrow, len(numbers), buffers), type)


HIDDEN = [LEAST, MOST, LEAST + 1, MOST - 1, -(2**30), 2**30, 0x7F7F7F7F, -1]
KNOWN = [0, 58, 59, 60, 364, 365, -1, 11016]


@pytest.mark.parametrize("field", FIELDS)
def test_fields_do_not_look_under_nulls(k: Kernels, field: Any) -> None:
    """Memory under a null was perhaps never written; libcudf's tables of months have no bounds."""
    found = k.datetime.field(with_hidden(k, KNOWN, DATE), field)
    expected = [FIELDS[field](python_date(day)) for day in KNOWN]
    assert values(k, found, INTEGER) == expected + [None] * len(KNOWN)


@pytest.mark.parametrize("unit", ["week", "month", "quarter", "year"])
def test_truncation_does_not_look_under_nulls(k: Kernels, unit: Any) -> None:
    found = values(k, k.datetime.truncate(with_hidden(k, KNOWN, DATE), unit), DATE)
    expected = [(TRUNCATIONS[unit](python_date(day)) - EPOCH).days for day in KNOWN]
    assert found == expected + [None] * len(KNOWN)


def test_arithmetic_of_months_does_not_look_under_nulls(k: Kernels) -> None:
    dates, months = with_hidden(k, [0, 30], DATE), with_hidden(k, [1, 1], INTEGER)
    assert values(k, k.datetime.add_months(dates, months), DATE) == [31, 58, None, None]
    one = k.columns.scalar(1, INTEGER)
    assert values(k, k.datetime.add_months(dates, one), DATE) == [31, 58, None, None]
    years, days = with_hidden(k, [1970, 1972], INTEGER), with_hidden(k, [1, 29], INTEGER)
    found, wrong = k.datetime.from_civil(years, with_hidden(k, [2, 2], INTEGER), days)
    assert (values(k, found, DATE), wrong) == ([31, 789, None, None], None)


# as java.time.LocalDate.ofEpochDay gives them
FAR = [
    (LEAST, (-5_877_641, 6, 23), "-5877641-06-23"),
    (MOST, (5_881_580, 7, 11), "+5881580-07-11"),
    (-719_528, (0, 1, 1), "0000-01-01"),
    (-719_529, (-1, 12, 31), "-0001-12-31"),
    (-719_162, (1, 1, 1), "0001-01-01"),
    (-719_469, (0, 2, 29), "0000-02-29"),
    (2_932_896, (9999, 12, 31), "9999-12-31"),
    (2_932_897, (10_000, 1, 1), "+10000-01-01"),
    (-4_371_587, (-9999, 1, 1), "-9999-01-01"),
    (-4_371_588, (-10_000, 12, 31), "-10000-12-31"),
]


def test_fields_of_far_dates(k: Kernels) -> None:
    rows = [day for day, _, _ in FAR]
    for place, field in enumerate(("year", "month", "day")):
        expected = [parts[place] for _, parts, _ in FAR]
        check(k, lambda a, f=field: k.datetime.field(a, f), [(rows, DATE)], INTEGER, expected)
    # 2^31 - 1 days after a Thursday, 2^31 days before it
    weekdays = values(k, k.datetime.field(array(k, [MOST, LEAST], DATE), "day_of_week"), INTEGER)
    assert weekdays == [(MOST + 4) % 7 + 1, (LEAST + 4) % 7 + 1]
    year_days = values(
        k, k.datetime.field(array(k, [MOST, -719_529], DATE), "day_of_year"), INTEGER
    )
    assert year_days == [193, 365]


TRUNCATIONS = {
    "day": lambda d: d,
    "week": lambda d: d - datetime.timedelta(d.weekday()),
    "month": lambda d: d.replace(day=1),
    "quarter": lambda d: d.replace(month=(d.month - 1) // 3 * 3 + 1, day=1),
    "year": lambda d: d.replace(month=1, day=1),
}


@pytest.mark.parametrize("unit", TRUNCATIONS)
def test_truncate(k: Kernels, unit: Any) -> None:
    rows = [day for day in days() if day > -719_100]
    expected = [(TRUNCATIONS[unit](python_date(day)) - EPOCH).days for day in rows]
    check(
        k, lambda a: k.datetime.truncate(a, unit), [([*rows, None], DATE)], DATE,
        [*expected, None],
    )  # fmt: skip


def test_truncate_far_dates(k: Kernels) -> None:
    rows = [MOST, 2_932_900, -719_529]
    for unit, texts in (
        ("month", ["+5881580-07-01", "+10000-01-01", "-0001-12-01"]),
        ("year", ["+5881580-01-01", "+10000-01-01", "-0001-01-01"]),
        ("quarter", ["+5881580-07-01", "+10000-01-01", "-0001-10-01"]),
    ):
        found = k.datetime.truncate(array(k, rows, DATE), unit)  # type: ignore[arg-type]
        assert values(k, k.datetime.date_to_string(found), STRING) == texts


def wrapped(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def test_add_days(k: Kernels) -> None:
    dates = [0, -1, MOST, LEAST, 19_000, None, 5]
    counts = [1, -1, 1, -1, -20_000, 3, None]
    expected = [1, -2, wrapped(MOST + 1), wrapped(LEAST - 1), -1_000, None, None]
    check(k, k.datetime.add_days, [(dates, DATE), (counts, INTEGER)], DATE, expected)


def test_difference(k: Kernels) -> None:
    ends = [0, 5, MOST, LEAST, None, 1]
    starts = [0, 10, LEAST, 1, 1, None]
    expected = [0, -5, wrapped(MOST - LEAST), wrapped(LEAST - 1), None, None]
    check(k, k.datetime.difference, [(ends, DATE), (starts, DATE)], INTEGER, expected)


def test_to_date(k: Kernels) -> None:
    rows = [0, -1, DAY - 1, DAY, -DAY, -DAY - 1, 2**63 - 1, -(2**63), None]
    expected = [0, -1, 0, 1, -1, -2, 106_751_991, -106_751_992, None]
    check(k, k.datetime.to_date, [(rows, TIMESTAMP_NTZ)], DATE, expected)


def test_from_date(k: Kernels) -> None:
    rows = [0, -1, 106_751_991, -106_751_991, None]
    fine: list[Any] = [0, -DAY, 106_751_991 * DAY, -106_751_991 * DAY, None]
    check_checked(k, k.datetime.from_date, [(rows, DATE)], TIMESTAMP_NTZ, fine)
    rows += [106_751_992, -106_751_992, MOST, LEAST]
    check_checked(k, k.datetime.from_date, [(rows, DATE)], TIMESTAMP_NTZ, [*fine, *[FAILED] * 4])


SECOND = 1_000_000
NEW_YORK_2024 = ([1_710_054_000, 1_730_613_600], [-18_000, -14_400, -18_000])


def zone(k: Kernels, transitions: list[int], offsets: list[int]) -> tuple[Any, Any]:
    """The arrays of a zone given in seconds."""
    return (
        array(k, [t * SECOND for t in transitions], LONG),
        array(k, [o * SECOND for o in offsets], LONG),
    )


def micros(text: str) -> int:
    moment = datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC)
    return (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)) // datetime.timedelta(
        microseconds=1
    )


def test_what_java_says_of_gaps_and_overlaps(k: Kernels) -> None:
    transitions, offsets = zone(k, *NEW_YORK_2024)
    facts = [
        ("2024-03-10T01:59:59.999999", "2024-03-10T06:59:59.999999"),
        ("2024-03-10T02:00:00", "2024-03-10T07:00:00"),
        ("2024-03-10T02:30:00", "2024-03-10T07:30:00"),
        ("2024-03-10T03:00:00", "2024-03-10T07:00:00"),
        ("2024-11-03T00:59:59", "2024-11-03T04:59:59"),
        ("2024-11-03T01:00:00", "2024-11-03T05:00:00"),
        ("2024-11-03T01:59:59.999999", "2024-11-03T05:59:59.999999"),
        ("2024-11-03T02:00:00", "2024-11-03T07:00:00"),
    ]
    rows = [micros(local) for local, _ in facts]
    expected = [micros(utc) for _, utc in facts]
    check(
        k,
        lambda a: k.datetime.local_to_utc(a, transitions, offsets),
        [([*rows, None], LONG)],
        LONG,
        [*expected, None],
    )


def test_utc_to_local_at_the_transition(k: Kernels) -> None:
    transitions, offsets = zone(k, *NEW_YORK_2024)
    spring, autumn = (t * SECOND for t in NEW_YORK_2024[0])
    rows = [spring - 1, spring, autumn - 1, autumn, None]
    hours = [-5, -4, -4, -5]
    expected = [
        *(r + h * 3600 * SECOND for r, h in zip(rows, hours, strict=False) if r is not None), None
    ]  # fmt: skip
    check(
        k, lambda a: k.datetime.utc_to_local(a, transitions, offsets), [(rows, LONG)], LONG,
        expected,
    )  # fmt: skip


def test_a_zone_without_transitions(k: Kernels) -> None:
    transitions, offsets = zone(k, [], [19_800])
    rows, shifted = [0, -5, None], [19_800 * SECOND, 19_800 * SECOND - 5, None]
    check(
        k, lambda a: k.datetime.utc_to_local(a, transitions, offsets), [(rows, LONG)], LONG, shifted
    )
    check(
        k, lambda a: k.datetime.local_to_utc(a, transitions, offsets), [(shifted, LONG)], LONG, rows
    )


def python_zone(name: str) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(name)
    except zoneinfo.ZoneInfoNotFoundError:
        pytest.skip("this machine has no time zone data")


def rules(python: zoneinfo.ZoneInfo) -> tuple[list[int], list[int]]:
    """The transitions from 1950 to 2040, found by halving each day on which the offset changes."""

    def offset(second: int) -> int:
        moment = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(0, second)
        found = moment.astimezone(python).utcoffset()
        assert found is not None
        return int(found.total_seconds())

    start, end, step = -631_152_000, 2_208_988_800, 86_400
    transitions, offsets = [], [offset(start)]
    for low in range(start, end, step):
        if offset(low + step) == offsets[-1]:
            continue
        first, last = low, low + step
        while last - first > 1:
            middle = (first + last) // 2
            first, last = (middle, last) if offset(middle) == offsets[-1] else (first, middle)
        transitions.append(last)
        offsets.append(offset(last))
    return transitions, offsets


@pytest.mark.parametrize(
    "name", ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu"]
)
def test_zones_against_zoneinfo(k: Kernels, name: str) -> None:
    python = python_zone(name)
    transitions, offsets = rules(python)
    random_ = random.Random(12)
    seconds = [random_.randrange(-600_000_000, 2_200_000_000) for _ in range(200)]
    near = [t + random_.randrange(-7_300, 7_300) for t in transitions for _ in range(4)]
    epoch = datetime.datetime(1970, 1, 1)
    rows, to_local, to_utc = [*seconds, *near], [], []
    for second in rows:
        naive = epoch + datetime.timedelta(seconds=second)
        local = naive.replace(tzinfo=datetime.UTC).astimezone(python).replace(tzinfo=None)
        to_local.append((local - epoch) // datetime.timedelta(microseconds=1))
        # fold=0 takes the offset before a transition, in a gap too, as Java does
        offset = naive.replace(tzinfo=python, fold=0).utcoffset()
        assert offset is not None
        to_utc.append((naive - offset - epoch) // datetime.timedelta(microseconds=1))
    given = [second * SECOND for second in rows]
    arrays = zone(k, transitions, offsets)
    check(k, lambda a: k.datetime.utc_to_local(a, *arrays), [(given, LONG)], LONG, to_local)
    check(k, lambda a: k.datetime.local_to_utc(a, *arrays), [(given, LONG)], LONG, to_utc)


def test_dates_to_strings(k: Kernels) -> None:
    rows = days()
    expected = [python_date(day).isoformat() for day in rows]
    check(k, k.datetime.date_to_string, [([*rows, None], DATE)], STRING, [*expected, None])


def test_far_dates_to_strings(k: Kernels) -> None:
    rows, texts = [day for day, _, _ in FAR], [text for _, _, text in FAR]
    check(
        k, k.datetime.date_to_string, [([*rows, None, 0], DATE)], STRING,
        [*texts, None, "1970-01-01"],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "1970-01-01 00:00:00"),
        (-1, "1969-12-31 23:59:59.999999"),
        (1, "1970-01-01 00:00:00.000001"),
        (100_000, "1970-01-01 00:00:00.1"),
        (120_000, "1970-01-01 00:00:00.12"),
        (1_000_000, "1970-01-01 00:00:01"),
        (10_000_000, "1970-01-01 00:00:10"),
        (600_000_000, "1970-01-01 00:10:00"),
        (1_709_210_096_123_450, "2024-02-29 12:34:56.12345"),
        (253_402_300_799_999_999, "9999-12-31 23:59:59.999999"),
        (253_402_300_800_000_000, "+10000-01-01 00:00:00"),
        (2**63 - 1, "+294247-01-10 04:00:54.775807"),
        (-(2**63), "-290308-12-21 19:59:05.224192"),
    ],
)
def test_timestamps_to_strings(k: Kernels, value: int, text: str) -> None:
    check(k, k.datetime.timestamp_to_string, [([value, None], TIMESTAMP_NTZ)], STRING, [text, None])


def test_many_timestamps_to_strings(k: Kernels) -> None:
    random_ = random.Random(13)
    epoch = datetime.datetime(1970, 1, 1)
    rows: list[Any] = [random_.randrange(-62_135_596_800 * SECOND, 253_402_300_800 * SECOND)
                       // 10 ** (power := random_.randrange(7)) * 10**power
                       for _ in range(300)]  # fmt: skip
    expected = []
    for row in rows:
        moment = epoch + datetime.timedelta(microseconds=row)
        text = moment.isoformat(" ", "microseconds")
        expected.append(text.rstrip("0").rstrip(".") if moment.microsecond else text[:19])
    check(
        k, k.datetime.timestamp_to_string, [([*rows, None], TIMESTAMP_NTZ)], STRING,
        [*expected, None],
    )  # fmt: skip
