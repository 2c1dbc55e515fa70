"""Comparison of results: order only where ORDER BY decides, tolerance only for floats."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from broadhead.demo.compare import difference
from broadhead.demo.queries import Query

COLUMNS = ["k", "v"]


def compare(expected, actual, *, order_by=("k",), limit=None):
    return difference(Query(1, "test", "", order_by, limit), COLUMNS, expected, actual)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [(1, "a"), (2, None)],
        [(None, None), (1, float("nan"))],
        [(datetime.date(1995, 1, 1), Decimal("1.50"))],
    ],
)
def test_a_result_equals_itself(rows):
    assert compare(rows, list(rows)) is None


def test_ties_may_come_in_any_order():
    assert compare([(1, "a"), (1, "b"), (2, "c")], [(1, "b"), (1, "a"), (2, "c")]) is None


def test_order_by_decides():
    assert "row 1" in compare([(1, "a"), (2, "b")], [(2, "b"), (1, "a")])
    assert compare([(1, "a"), (2, "b")], [(2, "b"), (1, "a")], order_by=()) is None


def test_number_of_rows_counts():
    assert compare([(1, "a")], []) == "0 rows instead of 1"
    assert compare([(1, "a")], [(1, "a"), (1, "a")]) == "2 rows instead of 1"


def test_limit_may_cut_a_tie():
    expected, actual = [(1, "a"), (2, "b"), (2, "c")], [(1, "a"), (2, "d"), (2, "b")]
    assert compare(expected, actual, limit=3) is None
    assert compare(expected, actual) is not None
    assert compare(expected, [(1, "x"), (2, "b"), (2, "c")], limit=3) is not None


def test_floats_have_tolerance_and_nothing_else_has():
    assert compare([(1, 0.1 + 0.2)], [(1, 0.3)]) is None
    assert compare([(1, 1.0)], [(1, 1.001)]) is not None
    assert compare([(1, Decimal("1.10"))], [(1, Decimal("1.11"))]) is not None


def test_types_and_scales_count():
    assert compare([(1, 1)], [(1, True)]) is not None
    assert compare([(1, 1)], [(1, 1.0)]) is not None
    assert compare([(1, Decimal("1.1"))], [(1, Decimal("1.10"))]) is not None
    assert compare([(1, None)], [(1, 0.0)]) is not None


def test_rows_with_floats_and_nulls_in_any_place_can_be_sorted():
    rows = [(None, "x"), (1.0, None), (2.0, "a"), (float("nan"), "a"), (None, None)]
    assert compare(rows, rows[::-1], order_by=()) is None
