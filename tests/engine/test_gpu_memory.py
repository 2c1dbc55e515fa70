"""Batches and what operators keep on GPUs of several sizes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from broadhead.kernels import gpu_memory
from broadhead.kernels.gpu_memory import batch_rows, kept_memory, operator_memory, streams
from broadhead.plan.nodes import DEFAULT_BATCH_ROWS, Settings

H200 = 120 << 30
T4 = 12 << 30
STREAMS = 16


def test_a_large_device_takes_whole_batches() -> None:
    assert batch_rows(Settings(), H200) == 1 << 24
    assert operator_memory(Settings(), H200) == 8 * Settings().operator_memory


@pytest.mark.parametrize("memory", [T4, 20 << 30, 40 << 30])
def test_batches_of_all_streams_fit_into_a_small_device(memory: int) -> None:
    rows = batch_rows(Settings(), memory)
    assert DEFAULT_BATCH_ROWS < rows < 1 << 24
    assert rows % 1024 == 0
    # with seven columns of eight bytes, the batch and what some operators make of it
    assert STREAMS * rows * 7 * 8 * 8 <= memory
    assert 4 * 4 * operator_memory(Settings(), memory) <= memory


def test_fewer_tasks_and_streams_leave_more_for_each() -> None:
    few = replace(Settings(), gpu_concurrent_tasks=1, gpu_streams=1)
    assert batch_rows(few, T4) == 1 << 24
    assert operator_memory(few, T4) == 3 << 30


def test_the_tests_rows_of_a_batch_are_kept() -> None:
    assert batch_rows(replace(Settings(), batch_rows=3), T4) == 3


def test_a_batch_is_never_smaller_than_on_the_cpu() -> None:
    assert batch_rows(Settings(), 1 << 28) == DEFAULT_BATCH_ROWS


def test_a_process_of_all_tasks_has_fewer_and_larger_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_memory, "only_process", True)
    defaults = replace(Settings(), gpu_concurrent_tasks=6)
    assert (gpu_memory.tasks_at_once(defaults), streams(defaults)) == (4, 1)
    assert gpu_memory.tasks_at_once(replace(defaults, gpu_concurrent_tasks=2)) == 2
    assert batch_rows(defaults, H200) == 1 << 24
    numbers = replace(defaults, has_texts=False)
    assert batch_rows(numbers, H200) == 1 << 26
    assert batch_rows(replace(numbers, gpu_memory_parts=4), H200) == 1 << 24
    assert kept_memory(H200) == H200 // 2
