"""Union: the rows of one of several children, or of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.operators.context import Run
    from broadhead.plan.nodes import Union


def union(node: Union, children: Sequence[Iterator[Batch]], run: Run) -> Iterator[Batch]:
    """The batches of the child that the task runs; the others are not started.

    If all children have the same partitioning, the task has a partition of each: the batches of all
    children, one after the other.
    """
    branch = run.sources.branch(node.id)
    for number, child in enumerate(children):
        if branch is not None and branch != number:
            continue
        if node.keep is None:
            yield from child
            continue
        for batch in child:
            yield Batch(tuple(batch.columns[i] for i in node.keep[number]), batch.length)
