"""Filter: the rows for which a condition is true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column
from broadhead.expressions.call_functions import function_of
from broadhead.plan.expressions import Call, Expression
from broadhead.plan.known_functions import AND
from broadhead.plan.traversal import references

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.expressions.program import Evaluator
    from broadhead.operators.context import Run
    from broadhead.plan.nodes import Filter


@dataclass(frozen=True, slots=True)
class Stage:
    """Conjuncts evaluated together, and the ordinals that are still read after them."""

    program: Evaluator
    read_later: tuple[int, ...]


def filter_(node: Filter, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of the rows for which `node.condition` is true, without empty ones.

    Conjuncts are evaluated in order, each on the rows that passed the earlier ones, as in Spark: a
    conjunct that may raise is never evaluated on a row that was dropped before it.
    """
    keep = node.keep if node.keep is not None else tuple(range(len(node.output)))
    stages = _stages(node.condition, keep, run)
    for batch in child:
        kept = _apply(batch, stages, run)
        if kept.length:
            yield Batch(tuple(kept.columns[i] for i in keep), kept.length)


def conjuncts(condition: Expression) -> list[Expression]:
    """The conjuncts of a condition, in order."""
    if isinstance(condition, Call) and condition.name == AND:
        return [part for child in condition.children for part in conjuncts(child)]
    return [condition]


def _stages(condition: Expression, keep: Sequence[int], run: Run) -> list[Stage]:
    groups: list[list[Expression]] = []
    for part in conjuncts(condition):
        if groups and _is_cheap(part) and all(map(_is_cheap, groups[-1])):
            groups[-1].append(part)
        else:
            groups.append([part])
    return [
        Stage(
            run.compile(group),
            tuple(sorted({*keep, *references(p for g in groups[number + 1 :] for p in g)})),
        )
        for number, group in enumerate(groups)
    ]


def _is_cheap(expression: Expression) -> bool:
    if not isinstance(expression, Call):
        return True
    function = function_of(expression)
    return function is not None and all(
        child.type.name in function.cheap and _is_cheap(child) for child in expression.children
    )


def _apply(batch: Batch, stages: Sequence[Stage], run: Run) -> Batch:
    for stage in stages:
        if not batch.length:
            break
        mask, *others = (column.data for column in stage.program.evaluate(batch))
        for other in others:
            mask = run.kernels.logic.and_(mask, other)
        batch = _compact(batch, mask, stage.read_later, run)
    return batch


def _compact(batch: Batch, mask: object, read_later: Sequence[int], run: Run) -> Batch:
    """The rows where `mask` is true; columns that are not read any more stay unfiltered."""
    columns = run.kernels.columns
    kept = columns.filter([batch.columns[i].data for i in read_later] or [mask], mask)
    length = columns.length(kept[0])
    if length == batch.length:
        return batch
    result = list(batch.columns)
    for ordinal, data in zip(read_later, kept, strict=False):
        result[ordinal] = Column(data, result[ordinal].type)
    return Batch(tuple(result), length)
