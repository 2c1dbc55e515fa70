"""Three-valued logic and choice."""

from __future__ import annotations

import math
from typing import Any

import pytest

from broadhead.kernels.interface import Kernels
from broadhead.types import BOOLEAN, DOUBLE, FLOAT, LONG, STRING, DataType, decimal
from kernels.physical import HUGE, WIDE, array, check, digits, layouts, same, scalar, values, wide
from kernels.test_columns import SAMPLES

THREE: list[bool | None] = [True, False, None]
LEFT = [left for left in THREE for _ in THREE]
RIGHT = [right for _ in THREE for right in THREE]


def test_and(k: Kernels) -> None:
    expected = [True, False, None, False, False, False, None, False, None]
    check(k, k.logic.and_, [(LEFT, BOOLEAN), (RIGHT, BOOLEAN)], BOOLEAN, expected)


def test_or(k: Kernels) -> None:
    expected = [True, True, True, True, False, None, True, None, None]
    check(k, k.logic.or_, [(LEFT, BOOLEAN), (RIGHT, BOOLEAN)], BOOLEAN, expected)


def test_not(k: Kernels) -> None:
    check(k, k.logic.not_, [(THREE, BOOLEAN)], BOOLEAN, [False, True, None])


@pytest.mark.parametrize(("type", "sample"), SAMPLES, ids=lambda v: getattr(v, "name", ""))
def test_nulls_are_found(k: Kernels, type: DataType, sample: list[Any]) -> None:
    check(k, k.logic.is_null, [(sample, type)], BOOLEAN, [v is None for v in sample])
    check(k, k.logic.is_valid, [(sample, type)], BOOLEAN, [v is not None for v in sample])
    for data in layouts(k, sample, type):
        assert k.columns.null_count(k.logic.is_null(data)) == 0


@pytest.mark.parametrize("type", [FLOAT, DOUBLE])
def test_is_nan(k: Kernels, type: DataType) -> None:
    sample = [math.nan, None, 0.0, -math.inf]
    check(k, k.logic.is_nan, [(sample, type)], BOOLEAN, [True, False, False, False])
    check(k, k.logic.is_nan, [([None], type)], BOOLEAN, [False])


def test_is_true(k: Kernels) -> None:
    check(k, k.logic.is_true, [(THREE, BOOLEAN)], BOOLEAN, [True, False, False])


@pytest.mark.parametrize(
    ("rows", "any_", "all_"),
    [
        ([], False, True),
        ([None], False, False),
        ([True, None], True, False),
        ([False, None], False, False),
        ([True, True], True, True),
        ([False, False], False, False),
    ],
)
def test_any_and_all(k: Kernels, rows: list[Any], any_: bool, all_: bool) -> None:
    for data in layouts(k, rows, BOOLEAN):
        assert k.logic.any(data) is any_
        assert k.logic.all(data) is all_


@pytest.mark.parametrize(("type", "sample"), SAMPLES, ids=lambda v: getattr(v, "name", ""))
def test_choice(k: Kernels, type: DataType, sample: list[Any]) -> None:
    conditions = [True, False, None, True, False]
    other = sample[::-1]
    expected = [a if c else b for c, a, b in zip(conditions, sample, other, strict=True)]
    for condition in layouts(k, conditions, BOOLEAN):
        for then in layouts(k, sample, type):
            for otherwise in layouts(k, other, type):
                found = k.logic.if_else(condition, then, otherwise)
                assert same(values(k, found, type), expected)


@pytest.mark.parametrize(("type", "sample"), SAMPLES, ids=lambda v: getattr(v, "name", ""))
@pytest.mark.parametrize(
    "conditions", [[True, False, None, True, False], [False] * 5, [True] * 5, [None] * 5]
)
def test_choice_of_scalars(
    k: Kernels, conditions: list[Any], type: DataType, sample: list[Any]
) -> None:
    condition = array(k, conditions, BOOLEAN)
    for data in layouts(k, sample, type):
        for value in sample:
            one = scalar(k, value, type)
            pairs = list(zip(conditions, sample, strict=True))
            found = k.logic.if_else(condition, one, data)
            assert same(values(k, found, type), [value if c else a for c, a in pairs])
            found = k.logic.if_else(condition, data, one)
            assert same(values(k, found, type), [a if c else value for c, a in pairs])
            found = k.logic.if_else(condition, one, scalar(k, None, type))
            assert same(values(k, found, type), [value if c else None for c in conditions])


def test_choice_between_widths(k: Kernels) -> None:
    condition = array(k, [True, False, None], BOOLEAN)
    found = k.logic.if_else(condition, array(k, [1, 2, None], WIDE), wide(k, [HUGE, -HUGE, None]))
    assert digits(k, found) == [1, -HUGE, None]
    found = k.logic.if_else(condition, scalar(k, HUGE, WIDE), array(k, [5, 6, 7], WIDE))
    assert digits(k, found) == [HUGE, 6, 7]
    found = k.logic.if_else(condition, wide(k, [1, 2, 3]), scalar(k, 4, WIDE))
    assert digits(k, found) == [1, 4, 4]


@pytest.mark.parametrize(("type", "sample"), SAMPLES, ids=lambda v: getattr(v, "name", ""))
def test_coalesce(k: Kernels, type: DataType, sample: list[Any]) -> None:
    holes = [None, sample[0], None, None, None]
    for data, rest in zip(layouts(k, holes, type), layouts(k, sample, type), strict=True):
        found = k.logic.coalesce([data, rest])
        assert same(values(k, found, type), [sample[0], sample[0], *sample[2:]])
        found = k.logic.coalesce([data, scalar(k, sample[3], type), rest])
        assert same(values(k, found, type), [sample[3], sample[0], *[sample[3]] * 3])
        found = k.logic.coalesce([scalar(k, None, type), data])
        assert same(values(k, found, type), holes)
        found = k.logic.coalesce([scalar(k, sample[0], type), data])
        assert same(values(k, found, type), [sample[0]] * 5)
        assert same(values(k, k.logic.coalesce([data]), type), holes)


def test_coalesce_of_widths(k: Kernels) -> None:
    found = k.logic.coalesce([array(k, [None, 1], WIDE), wide(k, [HUGE, 2])])
    assert digits(k, found) == [HUGE, 1]


@pytest.mark.parametrize(("type", "sample"), SAMPLES, ids=lambda v: getattr(v, "name", ""))
def test_null_where(k: Kernels, type: DataType, sample: list[Any]) -> None:
    where = [True, False, True, False, True]
    for data, mask in zip(layouts(k, sample, type), layouts(k, where, BOOLEAN), strict=False):
        found = k.logic.null_where(data, mask)
        assert same(values(k, found, type), [None, None, None, sample[3], None])
        none = array(k, [False] * 5, BOOLEAN)
        assert same(values(k, k.logic.null_where(data, none), type), sample)
    empty = k.logic.null_where(array(k, [], type), array(k, [], BOOLEAN))
    assert values(k, empty, type) == []


def test_types_of_choices_stay(k: Kernels) -> None:
    for type, value in ((LONG, 5), (STRING, "a"), (decimal(18, 2), 5)):
        found = k.logic.coalesce([array(k, [None], type), scalar(k, value, type)])
        assert values(k, found, type) == [value]
