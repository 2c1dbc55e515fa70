"""The calls with which the process of a GPU warms up."""

from __future__ import annotations

from broadhead.device.warm_up import warm_up
from engine.fragments import kernels_under_test


def test_all_calls_are_possible() -> None:
    warm_up(kernels_under_test())
