"""Groups and windows: which rows a function gets together, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from python_functions.comparison import MANY_BATCHES, Comparison
from python_functions.group_cases import groups, keys
from python_functions.window_cases import windows

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.xdist_group("python functions")

KEYS, GROUPS, WINDOWS = keys.queries(), groups.queries(), windows.queries()


@pytest.mark.parametrize("query", KEYS)
def test_keys_of_every_type(
    comparison: Comparison, configuration: Callable[[dict[str, str]], None], query: str
) -> None:
    configuration({"spark.sql.shuffle.partitions": "1"})
    comparison.same(KEYS[query])


@pytest.mark.parametrize("query", groups.by_turns())
def test_groups(
    comparison: Comparison, configuration: Callable[[dict[str, str]], None], query: str
) -> None:
    configuration(MANY_BATCHES)
    comparison.same(GROUPS[query])


# The engine's own windows have every form of a frame by day.
@pytest.mark.parametrize("query", windows.by_turns())
def test_frames(
    comparison: Comparison, configuration: Callable[[dict[str, str]], None], query: str
) -> None:
    configuration(MANY_BATCHES)
    comparison.same(WINDOWS[query])
