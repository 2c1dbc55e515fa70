"""Parameters of tests that run at night only; others of the same test stand for them by day."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest


def at_night(*values: Any) -> list[Any]:
    """The values as parameters of their own, marked as nightly."""
    return [pytest.param(value, marks=pytest.mark.nightly) for value in values]


def half_by_day(*values: Sequence[Any]) -> list[Any]:
    """All combinations; by day every other one, so that each value is in some test."""
    return [
        pytest.param(
            *(own[number] for own, number in zip(values, numbers, strict=True)),
            marks=pytest.mark.nightly if sum(numbers) % 2 else (),
        )
        for numbers in product(*(range(len(own)) for own in values))
    ]
