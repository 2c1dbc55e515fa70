"""Running a fragment: the tree of nodes becomes a chain of generators over batches.

Usable without Spark: `run(compile_fragment(fragment), sources, load_kernels("arrow"), Run())`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from broadhead.errors import Stopped
from broadhead.operators.aggregate.hash_aggregate import hash_aggregate
from broadhead.operators.exchange.broadcast_read import broadcast_read
from broadhead.operators.exchange.range_sample import range_sample
from broadhead.operators.exchange.rows_to_write import rows_to_write
from broadhead.operators.exchange.shuffle_read import shuffle_read
from broadhead.operators.exchange.shuffle_write import shuffle_write
from broadhead.operators.join.hash_join import hash_join
from broadhead.operators.join.nested_loop_join import nested_loop_join
from broadhead.operators.join.pushed_keys import filtered_by_keys
from broadhead.operators.python.aggregate_python import aggregate_python
from broadhead.operators.python.eval_python import eval_python
from broadhead.operators.python.eval_python_table import eval_python_table
from broadhead.operators.python.flat_map_cogroups import flat_map_cogroups
from broadhead.operators.python.flat_map_groups import flat_map_groups
from broadhead.operators.python.map_in_python import map_in_python
from broadhead.operators.python.python_rows import python_rows
from broadhead.operators.python.traced_project import traced_project
from broadhead.operators.python.window_python import window_python
from broadhead.operators.rows.coalesce import coalesce
from broadhead.operators.rows.expand import expand
from broadhead.operators.rows.filter import filter_
from broadhead.operators.rows.generate import generate
from broadhead.operators.rows.limit import limit
from broadhead.operators.rows.local_table import local_table
from broadhead.operators.rows.project import project
from broadhead.operators.rows.range import range_
from broadhead.operators.rows.row_ids import row_ids
from broadhead.operators.rows.row_source import row_source
from broadhead.operators.rows.sample import sample, sample_with_replacement
from broadhead.operators.rows.union import union
from broadhead.operators.scan.file_scan import file_scan
from broadhead.operators.sort.sort import sort
from broadhead.operators.spill.spill_directory import SpillDirectory
from broadhead.operators.window.window import window
from broadhead.operators.window.window_group_limit import window_group_limit
from broadhead.plan import exchanges, file_write, joins, nodes, python_nodes, row_nodes, windows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from broadhead.columns import Batch
    from broadhead.engine.compiled_fragment import CompiledFragment
    from broadhead.kernels.interface import Kernels
    from broadhead.operators.context import Run, Sources


def run(
    compiled: CompiledFragment, sources: Sources, kernels: Kernels, context: Run
) -> Iterator[Batch]:
    """The batches of the fragment's root, whose columns are the root's output.

    Ends early, as if there were no more rows, if `context.stopped` says so. Raises `WouldRaise` if
    Spark may raise for a row, `EngineLimit` for data that the engine cannot represent, and
    pyarrow's errors for files that are missing or corrupt.
    """
    root, settings = compiled.root, compiled.settings
    with SpillDirectory(context.spill_directories, encrypted=settings.encrypted) as spill_directory:
        state = context.started(kernels, settings, sources, compiled.programs, spill_directory)
        start = time.perf_counter_ns()
        batches = _start(root, compiled, state)
        state.metrics.add(root.id, "startTime", time.perf_counter_ns() - start)
        try:
            yield from batches
        except Stopped:
            return
        finally:
            # the fragment's constants may be freed when no run uses them any more
            kernels.device.synchronize()
            _own_times(root, state)


def _start(node: nodes.Node, compiled: CompiledFragment, state: Run) -> Iterator[Batch]:
    children = [_start(child, compiled, state) for child in node.children]
    batches = state.measure(node.id, _OPERATORS[type(node)](node, *children, state))
    filters = compiled.key_filters.get(node.id)
    return batches if filters is None else filtered_by_keys(filters, batches, state)


def _union(node: nodes.Union, *inputs: Any) -> Iterator[Batch]:
    *children, run_ = inputs
    return union(node, children, run_)


_OPERATORS: dict[type[nodes.Node], Callable[..., Iterator[Batch]]] = {
    nodes.FileScan: file_scan,
    nodes.RowSource: row_source,
    exchanges.ShuffleRead: shuffle_read,
    exchanges.BroadcastRead: broadcast_read,
    row_nodes.Range: range_,
    row_nodes.LocalTable: local_table,
    nodes.Filter: filter_,
    nodes.Project: project,
    nodes.HashAggregate: hash_aggregate,
    nodes.Sort: sort,
    nodes.Limit: limit,
    nodes.Union: _union,
    joins.HashJoin: hash_join,
    joins.NestedLoopJoin: nested_loop_join,
    windows.Window: window,
    windows.WindowGroupLimit: window_group_limit,
    row_nodes.Coalesce: coalesce,
    row_nodes.Sample: sample,
    row_nodes.SampleWithReplacement: sample_with_replacement,
    row_nodes.RowIds: row_ids,
    row_nodes.Expand: expand,
    row_nodes.Generate: generate,
    python_nodes.EvalPython: eval_python,
    python_nodes.TracedProject: traced_project,
    python_nodes.EvalPythonTable: eval_python_table,
    python_nodes.PythonRows: python_rows,
    python_nodes.MapInPython: map_in_python,
    python_nodes.FlatMapGroups: flat_map_groups,
    python_nodes.FlatMapCoGroups: flat_map_cogroups,
    python_nodes.AggregatePython: aggregate_python,
    python_nodes.WindowPython: window_python,
    exchanges.RangeSample: range_sample,
    exchanges.ShuffleWrite: shuffle_write,
    file_write.FileWrite: rows_to_write,
}
"""The operator of each node: called with the node, its children's batches and the run."""


def _own_times(node: nodes.Node, state: Run) -> None:
    """Each node's own time, without its children's; most inputs of a union do not run in a task."""
    if node.id not in state.inclusive:
        return
    children = sum(state.inclusive.get(child.id, 0) for child in node.children)
    state.metrics.add(node.id, "time", max(0, state.inclusive.get(node.id, 0) - children))
    for child in node.children:
        _own_times(child, state)
