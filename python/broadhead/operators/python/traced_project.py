"""TracedProject: a projection instead of Python functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.rows.project import project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Batch
    from broadhead.operators.context import Run
    from broadhead.plan.python_nodes import TracedProject


def traced_project(node: TracedProject, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of as many rows as the child's; counts the calls that it replaces."""
    run.metrics.add(node.id, "tracedCalls", node.traced)
    yield from project(node, child, run)
