"""Operators spill when the process has no more memory than it may have."""

from __future__ import annotations

import numpy as np
import pytest

from broadhead.operators.process_memory import is_counted, used_bytes
from broadhead.operators.task_memory import TaskMemory

MEBIBYTE = 1 << 20

pytestmark = pytest.mark.skipif(not is_counted(), reason="the kernel does not tell")


def test_without_a_limit_nothing_is_short() -> None:
    assert not TaskMemory().is_short(1 << 60)


def test_rows_count_once_more_for_the_work_on_them() -> None:
    memory = TaskMemory(used_bytes() + 64 * MEBIBYTE)
    assert not memory.is_short(32 * MEBIBYTE)
    assert memory.is_short(512 * MEBIBYTE)


def test_what_other_operators_hold_counts() -> None:
    limit = used_bytes() + 96 * MEBIBYTE
    memory = TaskMemory(limit)
    assert not memory.is_short(limit // 8)
    others = np.ones(96 * MEBIBYTE, np.uint8)
    assert memory.is_short(limit // 8)
    del others
    assert not TaskMemory(limit).is_short(limit // 8)


def test_an_operator_with_few_rows_does_not_spill() -> None:
    memory = TaskMemory(16 * MEBIBYTE)
    assert used_bytes() > 16 * MEBIBYTE
    assert memory.is_short(MEBIBYTE)
    assert not memory.is_short(MEBIBYTE // 4)


def test_the_peak_is_that_of_the_task() -> None:
    memory = TaskMemory(1 << 40)
    peaks: list[int] = []
    with memory.measured(peaks.append):
        np.ones(64 * MEBIBYTE, np.uint8)
    with memory.measured(peaks.append):
        pass
    large, small = peaks
    assert large - small > 48 * MEBIBYTE
