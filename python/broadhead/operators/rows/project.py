"""Project: one column for each expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.operators.context import Run
    from broadhead.plan.nodes import Project


def project(node: Project, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of as many rows as the child's."""
    program = run.compile(node.expressions)
    for batch in child:
        yield Batch(tuple(program.evaluate(batch)), batch.length)
