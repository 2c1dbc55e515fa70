"""Functions in queries: the user guide's, in each place of a plan, with each kind of batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from python_functions.batch_cases import batches
from python_functions.comparison import MANY_BATCHES, Comparison
from python_functions.guide_cases import guide
from python_functions.plan_cases import plans
from python_functions.return_cases import returns

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.xdist_group("python functions")

GUIDE, PLANS, BATCHES, RETURNS = (t.queries() for t in (guide, plans, batches, returns))


@pytest.mark.parametrize("query", guide.by_turns())
def test_the_user_guide(comparison: Comparison, query: str) -> None:
    comparison.same(GUIDE[query])


@pytest.mark.parametrize("query", plans.by_turns())
def test_places_in_a_plan(comparison: Comparison, query: str) -> None:
    comparison.same(PLANS[query])


@pytest.mark.parametrize("query", BATCHES)
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(MANY_BATCHES, id="many"),
        pytest.param({}, id="one", marks=pytest.mark.nightly),
    ],
)
def test_batches(
    comparison: Comparison,
    configuration: Callable[[dict[str, str]], None],
    query: str,
    settings: dict[str, str],
) -> None:
    configuration(settings)
    comparison.same(BATCHES[query])


@pytest.mark.parametrize("query", RETURNS)
def test_returned_values(comparison: Comparison, query: str) -> None:
    comparison.same(RETURNS[query])
