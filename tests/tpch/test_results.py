"""All 22 queries give plain Spark's rows, with adaptive execution on and off."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from broadhead.demo.compare import difference
from broadhead.demo.queries import NUMBERS, load_query

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="module")
def plain_rows(run_query: Callable[..., tuple]) -> Callable[[int], list]:
    @cache
    def rows(number: int) -> list:
        return run_query(number, accelerated=False)[1]

    return rows


@pytest.mark.parametrize("adaptive", [True, False], ids=["adaptive", "static"])
@pytest.mark.parametrize("number", NUMBERS, ids="Q{}".format)
def test_rows_equal_plain_spark(number, adaptive, run_query, plain_rows):
    columns, rows, _ = run_query(number, accelerated=True, adaptive=adaptive)
    assert difference(load_query(number), columns, plain_rows(number), rows) is None
