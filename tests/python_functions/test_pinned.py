"""Functions that stay with Spark: each has the reason that is pinned here, and Spark's rows."""

from __future__ import annotations

import pytest

from python_functions.comparison import Comparison
from python_functions.pinned_cases import PINNED

pytestmark = pytest.mark.xdist_group("python functions")


@pytest.mark.parametrize("name", PINNED)
def test_a_function_of_spark(comparison: Comparison, name: str) -> None:
    reason, make = PINNED[name]
    comparison.same(make, fallback=reason)
