"""Stack: generators that make the same number of rows of every row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.columns import Batch, Column
from broadhead.operators.rows.batch_rows import cut_batch
from broadhead.plan.expressions import Literal
from broadhead.types import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.operators.context import Run
    from broadhead.plan.expressions import Expression
    from broadhead.plan.row_nodes import Generate


def stack(node: Generate, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of the required columns and the stacked values, all rows of one row together.

    `SELECT stack(2, a, b, c, d) FROM t` gives the rows (a, b) and (c, d); missing values are null.
    """
    count, columns = _stacked(node)
    program = run.compile([value for column in columns for value in column])
    limit = max(1, run.kernels.device.batch_rows(run.settings) // count)
    order: dict[int, tuple[Any, Any]] = {}
    for batch in child:
        for start in range(0, batch.length, limit):
            part = cut_batch(batch, start, min(limit, batch.length - start), run)
            if part.length not in order:
                order = {part.length: _interleaved(part.length, count, run)}
            rows, places = order[part.length]
            values = program.evaluate(part)
            data = [part.columns[i] for i in node.required]
            taken = run.kernels.columns.take([column.data for column in data], rows)
            out = [Column(d, column.type) for d, column in zip(taken, data, strict=True)]
            for number in range(len(columns)):
                pieces = values[number * count : (number + 1) * count]
                joined = run.kernels.columns.concat([[piece.data] for piece in pieces])
                (stacked,) = run.kernels.columns.take(joined, places)
                out.append(Column(stacked, pieces[0].type))
            yield Batch(tuple(out), part.length * count)


def _stacked(node: Generate) -> tuple[int, list[list[Expression]]]:
    """The number of rows of each row, and the values of each kept column in each of them."""
    size, *values = node.generator.children
    assert isinstance(size, Literal)
    count: int = size.value
    attributes = node.output[len(node.required) :]
    kept = range(len(attributes)) if node.keep is None else node.keep
    width = -(-len(values) // count)
    return count, [
        [
            values[row * width + ordinal]
            if row * width + ordinal < len(values)
            else Literal(None, attribute.type)
            for row in range(count)
        ]
        for ordinal, attribute in zip(kept, attributes, strict=True)
    ]


def _interleaved(length: int, count: int, run: Run) -> tuple[Any, Any]:
    """Each row id `count` times, and the positions of its values in the concatenated columns."""
    columns, arithmetic = run.kernels.columns, run.kernels.arithmetic
    sequence = columns.sequence(length * count)
    every = columns.scalar(count, LONG)
    rows = arithmetic.quotient(sequence, every)
    offsets = arithmetic.multiply(
        arithmetic.remainder(sequence, every), columns.scalar(length, LONG)
    )
    return rows, arithmetic.add(offsets, rows)
