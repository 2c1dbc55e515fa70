"""Generate: each row joined with the rows that a generator makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.columns import Batch, Column
from broadhead.errors import Unsupported
from broadhead.operators.rows.batch_rows import cut_batch
from broadhead.operators.rows.interleaved_rows import interleaved
from broadhead.operators.rows.repeated_rows import repeated_rows, taken
from broadhead.plan.expressions import Literal
from broadhead.types import INTEGER, LONG, ArrayType, MapType, StructType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.operators.context import Run
    from broadhead.plan.expressions import Expression
    from broadhead.plan.row_nodes import Generate


def generate(node: Generate, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of the required columns and the generator's, in Spark's order.

    `SELECT k, explode(a) FROM t` gives a row for each element of each `a`; `explode_outer` one
    row with null for an `a` that is null or empty as well.
    """
    name = node.generator.name
    if name == "Stack":
        return _stack(node, child, run)
    if name == "ReplicateRows":
        return _replicate(node, child, run)
    if name in {"Explode", "PosExplode", "Inline"}:
        return _explode(node, child, run)
    raise Unsupported(f"generator {name} is not known to this version of the engine")


def _replicate(node: Generate, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """The row of the generator's columns, repeated as often as its first child says."""
    program = run.compile(node.generator.children)
    for batch in child:
        counts, *values = program.evaluate(batch)
        kept = values if node.keep is None else [values[i] for i in node.keep]
        passed = [*(batch.columns[i] for i in node.required), *kept]
        for rows, _, length in repeated_rows(counts.data, run):
            yield Batch(taken(passed, rows, run), length)


def _explode(node: Generate, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Each row joined with each of its elements."""
    logic, nested = run.kernels.logic, run.kernels.nested
    program = run.compile(node.generator.children)
    for batch in child:
        (collection,) = program.evaluate(batch)
        counts = nested.lengths(collection.data)
        elements = _generated_columns(node, collection, run)
        passed = [batch.columns[i] for i in node.required]
        empty = None
        if node.generator.outer:
            zero, one = (run.kernels.columns.scalar(number, LONG) for number in (0, 1))
            empty = run.kernels.compare.compare("equal", counts, zero)
            counts = logic.if_else(empty, one, counts)
        first = 0
        for rows, numbers, length in repeated_rows(counts, run):
            blank = run.kernels.columns.take([empty], rows)[0] if empty is not None else None
            generated, first = _slice_elements(elements, blank, first, length, run)
            if node.generator.name == "PosExplode":
                generated.insert(0, _positions(numbers, blank, run))
            kept = generated if node.keep is None else [generated[i] for i in node.keep]
            yield Batch((*taken(passed, rows, run), *kept), length)


def _generated_columns(node: Generate, collection: Column, run: Run) -> list[Column]:
    """The generator's columns for all elements of all rows."""
    nested = run.kernels.nested
    data_type = collection.type
    assert isinstance(data_type, ArrayType | MapType)
    parts = nested.elements(collection.data, data_type)
    if isinstance(data_type, MapType):
        return [Column(parts[0], data_type.key), Column(parts[1], data_type.value)]
    if node.generator.name != "Inline":
        return [Column(parts[0], data_type.element)]
    struct = data_type.element
    assert isinstance(struct, StructType)
    fields = zip(nested.fields(parts[0], struct), struct.fields, strict=True)
    return [Column(data, field.type) for data, field in fields]


def _slice_elements(
    elements: Sequence[Column], blank: Any, first: int, length: int, run: Run
) -> tuple[list[Column], int]:
    """The elements from `first` for `length` rows, and the index of the first element after them.

    Rows where `blank` is true have no element.
    """
    columns, logic = run.kernels.columns, run.kernels.logic
    if blank is None or not logic.any(blank):
        parts = columns.slice([column.data for column in elements], first, length)
        pairs = zip(parts, elements, strict=True)
        return [Column(data, column.type) for data, column in pairs], first + length
    mask = logic.not_(blank)
    (held,) = columns.filter([mask], mask)
    count = columns.length(held)
    parts = columns.slice([column.data for column in elements], first, count)
    pairs = zip(parts, elements, strict=True)
    spread = [Column(columns.scatter(data, mask), column.type) for data, column in pairs]
    return spread, first + count


def _positions(numbers: Any, blank: Any, run: Run) -> Column:
    positions = run.kernels.cast.narrow_integer(numbers, INTEGER)
    if blank is not None:
        positions = run.kernels.logic.null_where(positions, blank)
    return Column(positions, INTEGER)


def _stack(node: Generate, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
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
                order = {part.length: interleaved(part.length, count, run)}
            rows, positions = order[part.length]
            values = program.evaluate(part)
            data = [part.columns[i] for i in node.required]
            out = list(taken(data, rows, run))
            for number in range(len(columns)):
                stacked_values = values[number * count : (number + 1) * count]
                joined = run.kernels.columns.concat([[value.data] for value in stacked_values])
                (stacked,) = run.kernels.columns.take(joined, positions)
                out.append(Column(stacked, stacked_values[0].type))
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
