"""Functions that stay with Spark: each has the reason that is pinned here, and Spark's rows."""

from __future__ import annotations

import pytest

from python_functions.comparison import Comparison
from python_functions.pinned_cases import PINNED
from sql_sessions import spark_version

pytestmark = pytest.mark.xdist_group("python functions")


@pytest.mark.parametrize("name", PINNED)
def test_a_function_of_spark(comparison: Comparison, name: str) -> None:
    if name == "repeated_names" and spark_version(comparison.session) not in {"4.0", "4.1"}:
        pytest.skip("Spark raises an error for it since 4.2")
    reason, make = PINNED[name]
    comparison.same(make, fallback=reason)
