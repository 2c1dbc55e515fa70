"""Operators spill when the process has no more memory than it may have."""

from __future__ import annotations

import mmap

import pytest

from broadhead.operators.process_memory import is_counted, release_free_pages, used_bytes
from broadhead.operators.task_memory import LEAST_SHARE, TaskMemory

MEBIBYTE = 1 << 20

pytestmark = pytest.mark.skipif(not is_counted(), reason="the kernel does not tell")


@pytest.fixture(autouse=True)
def released() -> None:
    """Free pages of other tests in this process are given back before."""
    release_free_pages()


def memory_of(mebibytes: int) -> mmap.mmap:
    """Pages that no allocator has kept from others."""
    found = mmap.mmap(-1, mebibytes * MEBIBYTE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for start in range(0, len(found), mmap.PAGESIZE):
        found[start] = 1
    return found


def test_without_a_limit_nothing_is_short() -> None:
    assert not TaskMemory().is_short(1 << 60)


def test_rows_count_once_more_for_the_work_on_them() -> None:
    memory = TaskMemory(used_bytes() + 64 * MEBIBYTE)
    assert not memory.is_short(32 * MEBIBYTE)
    assert memory.is_short(512 * MEBIBYTE)


def test_what_other_operators_hold_counts() -> None:
    limit = used_bytes() + 96 * MEBIBYTE
    held = limit // LEAST_SHARE + 1
    memory = TaskMemory(limit)
    assert not memory.is_short(held)
    with memory_of(96):
        assert memory.is_short(held)
    assert not memory.is_short(held)


def test_an_operator_with_few_rows_does_not_spill() -> None:
    memory = TaskMemory(16 * MEBIBYTE)
    assert used_bytes() > 16 * MEBIBYTE
    assert memory.is_short(MEBIBYTE)
    assert not memory.is_short(MEBIBYTE // 4)


def test_the_peak_is_that_of_the_task() -> None:
    memory = TaskMemory(1 << 40)
    peaks: list[int] = []
    with memory.measured(peaks.append):
        memory_of(64).close()
    with memory.measured(peaks.append):
        pass
    large, small = peaks
    assert large - small > 48 * MEBIBYTE
