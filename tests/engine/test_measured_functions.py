"""The time of functions on the CPU, and whether their groups are large enough for a GPU."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from broadhead.operators.context import Run
from broadhead.operators.python.grouped_inputs import DEVICE_GROUP_ROWS
from broadhead.operators.python.measured_functions import LARGE_GROUPS, MeasuredFunctions

NODE = 7


class CountingFunctions:
    """Gives the number of rows of each group."""

    def over_groups(self, _functions: Any, groups: Iterable[Any]) -> Iterator[pa.RecordBatch]:
        for (group,) in groups:
            yield pa.record_batch({"rows": [sum(batch.num_rows for batch in group)]})


def measured(sizes: list[int]) -> dict[str, int]:
    """The metrics after calls with groups of these sizes."""
    node: Any = SimpleNamespace(id=NODE)
    functions: Any = CountingFunctions()
    groups = ((iter([pa.record_batch({"x": np.zeros(size)})]),) for size in sizes)
    calls: Any = None
    run = Run(user_functions=functions)
    results = MeasuredFunctions(node, run).over_groups(calls, groups)
    assert [batch["rows"][0].as_py() for batch in results] == sizes
    return run.metrics.values


@pytest.mark.parametrize("sizes", [[DEVICE_GROUP_ROWS], [2 * DEVICE_GROUP_ROWS, 10]])
def test_large_groups(sizes: list[int]) -> None:
    metrics = measured(sizes)
    assert metrics[f"{NODE}.{LARGE_GROUPS}"] == metrics[f"{NODE}.pythonTime"] > 0


@pytest.mark.parametrize("sizes", [[], [DEVICE_GROUP_ROWS - 1], [DEVICE_GROUP_ROWS, 10, 10]])
def test_small_groups(sizes: list[int]) -> None:
    assert f"{NODE}.{LARGE_GROUPS}" not in measured(sizes)
