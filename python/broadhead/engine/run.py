"""Running a fragment: the tree of nodes becomes a chain of generators over batches.

Usable without Spark: `run(fragment, sources, load_kernels("arrow"), context)`.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from dataclasses import dataclass, field
from functools import singledispatch
from pathlib import Path
from typing import TYPE_CHECKING

from broadhead.errors import Stopped
from broadhead.operators.context import Metrics, Run, Sources
from broadhead.operators.filter import filter_
from broadhead.operators.hash_aggregate import hash_aggregate
from broadhead.operators.parquet_scan import parquet_scan
from broadhead.operators.project import project
from broadhead.operators.row_source import row_source
from broadhead.plan import nodes
from broadhead.plan.prune import prune

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from broadhead.columns import Batch
    from broadhead.kernels.interface import Kernels


def _never() -> bool:
    return False


@dataclass(slots=True)
class Context:
    """What surrounds a run: counters to fill, where to spill, and when to stop early."""

    metrics: Metrics = field(default_factory=Metrics)
    spill_directories: Sequence[str] = ()
    stopped: Callable[[], bool] = _never


def run(
    fragment: nodes.Fragment, sources: Sources, kernels: Kernels, context: Context
) -> Iterator[Batch]:
    """The batches of the fragment's root, whose columns are the root's output.

    Ends early, as if there were no more rows, when `context.stopped` says so. Raises `WouldRaise`
    where Spark may raise for a row, `EngineLimit` where data are beyond what the engine represents,
    and what pyarrow raises for files that are missing or corrupt.
    """
    pruned = prune(fragment)
    with _SpillDirectory(context.spill_directories) as spill_directory:
        state = Run(
            kernels=kernels,
            settings=fragment.settings,
            zones=fragment.zones,
            sources=sources,
            metrics=context.metrics,
            spill_directory=spill_directory,
            stopped=context.stopped,
        )
        start = time.perf_counter_ns()
        batches = _start(pruned.root, state)
        context.metrics.add(pruned.root.id, "startTime", time.perf_counter_ns() - start)
        try:
            yield from batches
        except Stopped:
            return
        finally:
            _own_times(pruned.root, state)


def _start(node: nodes.Node, state: Run) -> Iterator[Batch]:
    children = [_start(child, state) for child in node.children]
    return state.measure(node.id, _operator(node, children, state))


@singledispatch
def _operator(node: nodes.Node, children: Sequence[Iterator[Batch]], run: Run) -> Iterator[Batch]:
    """The node's batches, from its children's."""
    raise TypeError(f"no operator for {type(node).__name__}")


@_operator.register(nodes.ParquetScan)
def _(node: nodes.ParquetScan, children: Sequence[Iterator[Batch]], run: Run) -> Iterator[Batch]:
    return parquet_scan(node, run)


@_operator.register(nodes.RowSource)
def _(node: nodes.RowSource, children: Sequence[Iterator[Batch]], run: Run) -> Iterator[Batch]:
    return row_source(node, run)


@_operator.register(nodes.Filter)
def _(node: nodes.Filter, children: Sequence[Iterator[Batch]], run: Run) -> Iterator[Batch]:
    return filter_(node, children[0], run)


@_operator.register(nodes.Project)
def _(node: nodes.Project, children: Sequence[Iterator[Batch]], run: Run) -> Iterator[Batch]:
    return project(node, children[0], run)


@_operator.register(nodes.HashAggregate)
def _(node: nodes.HashAggregate, children: Sequence[Iterator[Batch]], run: Run) -> Iterator[Batch]:
    return hash_aggregate(node, children[0], run)


def _own_times(node: nodes.Node, state: Run) -> None:
    """Each node's time without its children's."""
    children = sum(state.inclusive.get(child.id, 0) for child in node.children)
    state.metrics.add(node.id, "time", max(0, state.inclusive.get(node.id, 0) - children))
    for child in node.children:
        _own_times(child, state)


class _SpillDirectory:
    """A private directory, made when it is first asked for and removed in the end."""

    def __init__(self, parents: Sequence[str]) -> None:
        self._parents = parents
        self._path: Path | None = None

    def __enter__(self) -> Callable[[], Path]:
        return self._get

    def __exit__(self, *exception: object) -> None:
        if self._path is not None:
            shutil.rmtree(self._path, ignore_errors=True)

    def _get(self) -> Path:
        if self._path is None:
            parent = self._parents[0] if self._parents else None
            self._path = Path(tempfile.mkdtemp(prefix="broadhead-spill-", dir=parent))
        return self._path
