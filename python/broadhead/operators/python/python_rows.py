"""PythonRows: the rows of a data frame that Python makes."""

from __future__ import annotations

from decimal import Decimal
from itertools import chain, count
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from broadhead.arrow_layout import arrow_schema
from broadhead.errors import EngineLimit
from broadhead.operators.python.measured_functions import MeasuredFunctions
from broadhead.operators.rows.row_source import physical_batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from broadhead.columns import Batch
    from broadhead.operators.context import Run
    from broadhead.plan.python_nodes import PythonRows

_NONE = type(None)

# The Python types of values that are the column's own; Spark converts others or makes them null.
_KINDS: tuple[tuple[Callable[[pa.DataType], bool], frozenset[type]], ...] = (
    (types.is_boolean, frozenset({bool})),
    (types.is_integer, frozenset({int})),
    (types.is_floating, frozenset({float})),
    (types.is_decimal, frozenset({Decimal})),
    (types.is_string, frozenset({str})),
    (types.is_binary, frozenset({bytes, bytearray})),
    (types.is_temporal, frozenset({int})),
    (types.is_list, frozenset({list})),
    (types.is_struct, frozenset({tuple})),
)


def python_rows(node: PythonRows, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of the rows that the functions of the RDD make in the task's partition."""
    schema = arrow_schema(node.output)
    functions = MeasuredFunctions(node, run)
    elements = _elements(child, run)
    partition = run.sources.part(node.id)
    for rows in functions.over_elements(node.command, partition, elements):
        yield from physical_batches(rows_as_batch(rows, schema), node.output, run)


def _elements(child: Iterator[Batch], run: Run) -> Iterator[bytes]:
    for batch in child:
        (column,) = batch.columns
        for value in run.kernels.columns.to_arrow(column.data, column.type):
            yield value.as_buffer().to_pybytes()


def rows_as_batch(rows: Sequence[Any], schema: pa.Schema) -> pa.RecordBatch:
    """The rows as columns.

    Rows are tuples of the values of PySpark's `StructType.toInternal`: days of dates, microseconds
    of timestamps. Raises `EngineLimit` for values of other Python types than the columns', which
    Spark converts by rules of its own, and for those that do not fit.
    """
    try:
        arrays = [
            _array(values, field.type, nullable=field.nullable)
            for values, field in zip(_fields(rows, len(schema)), schema, strict=True)
        ]
    except (pa.ArrowException, OverflowError, UnicodeError) as error:
        raise EngineLimit(f"a value does not fit its column: {error}") from error
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _fields(rows: Sequence[Any], width: int) -> Sequence[Sequence[Any]]:
    if set(map(type, rows)) - {tuple} or set(map(len, rows)) - {width}:
        raise EngineLimit(f"a row is not a tuple of {width} values")
    return list(zip(*rows, strict=True)) if rows else [()] * width


def _array(values: Sequence[Any], wanted: pa.DataType, *, nullable: bool) -> pa.Array:
    kinds = set(map(type, values))
    if _NONE in kinds and not nullable:
        raise EngineLimit("None in a column that is not nullable")
    _check(kinds - {_NONE}, wanted)
    if types.is_list(wanted):
        return _lists(values, wanted)
    if types.is_struct(wanted):
        return _structs(values, wanted)
    if types.is_date32(wanted):
        return pa.array(values, pa.int32()).view(wanted)
    if types.is_temporal(wanted):
        return pa.array(values, pa.int64()).view(wanted)
    return pa.array(values, wanted)


def _check(kinds: set[type], wanted: pa.DataType) -> None:
    if not kinds:
        return
    allowed = next((found for is_type, found in _KINDS if is_type(wanted)), frozenset())
    if not kinds <= allowed:
        names = ", ".join(sorted(kind.__name__ for kind in kinds - allowed))
        raise EngineLimit(f"a value of type {names} in a column of type {wanted}")


def _lists(values: Sequence[Any], wanted: pa.ListType) -> pa.Array:
    present = [value for value in values if value is not None]
    items = _array(
        list(chain.from_iterable(present)), wanted.value_type, nullable=wanted.value_field.nullable
    )
    lengths = pa.array([None if value is None else len(value) for value in values], pa.int32())
    ends = pc.cumulative_sum(lengths.fill_null(0))
    starts = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    return pa.ListArray.from_arrays(starts, items, type=wanted, mask=lengths.is_null())


def _structs(values: Sequence[Any], wanted: pa.StructType) -> pa.Array:
    present = [value for value in values if value is not None]
    fields = _fields(present, wanted.num_fields)
    numbers = count()
    taken = pa.array([None if value is None else next(numbers) for value in values], pa.int64())
    arrays = [
        _array(part, field.type, nullable=field.nullable).take(taken)
        for part, field in zip(fields, wanted, strict=True)
    ]
    return pa.StructArray.from_arrays(arrays, fields=list(wanted), mask=taken.is_null())
