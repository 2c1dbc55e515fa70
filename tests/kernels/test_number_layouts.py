"""Numbers in texts of a layout, and their digits in groups."""

from __future__ import annotations

import random

import pytest

from broadhead.kernels.interface import Kernels
from broadhead.types import LONG, STRING
from kernels.physical import array, check, sliced, values

DATES = ((4, 4), "-", (2, 2), "-", (2, 2))
TIMES = ((1, 18), ":", (2, 2), "t")


@pytest.mark.parametrize("make", [array, sliced])
def test_numbers_at_fixed_places(k: Kernels, make: object) -> None:
    rows = [
        "2024-02-29",
        "0001-12-31",
        "2024-2-29",
        "2024/02-29",
        "２０２４-1-1",
        "20a4-02-29",
        "",
        None,
    ]
    assert callable(make)
    found = k.parse.numbers(make(k, rows, STRING), DATES)
    good = [(2024, 2, 29), (1, 12, 31)]
    for place, column in enumerate(found):
        expected = [row[place] for row in good] + [None] * 6
        assert values(k, column, LONG) == expected


@pytest.mark.parametrize("rows", [["2024-02-29"], ["2024-02-29", "x" * 10], ["x"], [], [None]])
def test_numbers_where_all_or_no_texts_have_the_width(k: Kernels, rows: list[str | None]) -> None:
    years = [2024 if row == "2024-02-29" else None for row in rows]
    assert values(k, k.parse.numbers(array(k, rows, STRING), DATES)[0], LONG) == years


@pytest.mark.parametrize("copies", [1, 5])
def test_numbers_of_any_width(k: Kernels, copies: int) -> None:
    rows = ["1:02T", "123456789012345678:59t", "1:2t", ":02t", "1:02t ", "1:02t\n", None, "-1:02t"]
    hours = [1, 123456789012345678, None, None, None, None, None, None]
    found = k.parse.numbers(array(k, rows * copies, STRING), TIMES)
    assert values(k, found[0], LONG) == hours * copies
    assert values(k, found[1], LONG) == [2, 59, None, None, None, None, None, None] * copies


def test_grouped_digits(k: Kernels) -> None:
    random_ = random.Random(5)
    rows = [0, 7, 99, 100, 999, 1_000, 1_001, 999_999, 1_000_000, 2**63 - 1, None]
    rows += [random_.randrange(10 ** random_.randrange(1, 19)) for _ in range(100)]
    for part in (rows, rows[:5], [None], [], [12]):
        expected = [None if row is None else f"{row:,}" for row in part]
        check(k, k.cast.integer_to_grouped_string, [(part, LONG)], STRING, expected)


def test_digits(k: Kernels) -> None:
    years, fractions = [0, 24, 9_999, None, 1], [0, 1, 999_999, 7, None]
    layout = (4, "-", 1, "T", 6, "Z")
    given = [(years, LONG), ([1] * 5, LONG), (fractions, LONG)]
    expected = ["0000-1T000000Z", "0024-1T000001Z", "9999-1T999999Z", None, None]

    def texts(*numbers: object) -> object:
        return k.cast.digits_to_string(numbers, layout)

    check(k, texts, given, STRING, expected, scalars=False)
    check(k, texts, [([], LONG)] * 3, STRING, [], scalars=False)
