"""The columns that Python functions get and return, in Spark's Arrow layout."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.columns import Batch, Column
from broadhead.errors import WouldRaise
from broadhead.operators.user_functions import DeviceRows
from broadhead.types import ArrayType, DataType, MapType, StructType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from broadhead.operators.context import Run
    from broadhead.plan.expressions import Expression
    from broadhead.plan.nodes import Attribute
    from broadhead.plan.python_nodes import PythonCalls


class FunctionInputs:
    """The inputs of functions, computed from the batches of an operator's child.

    Equal names are allowed; without `names` the columns are `_0`, `_1` and so on, as Spark's.
    """

    def __init__(
        self,
        inputs: Sequence[Expression],
        names: Sequence[str],
        functions: PythonCalls,
        run: Run,
    ) -> None:
        self._run = run
        self._program = run.compile(inputs)
        layout = FunctionLayout(functions)
        self._types = [layout.type_of(expression.type) for expression in inputs]
        named = any(names)
        self.schema = pa.schema(
            pa.field(
                names[number] if named else f"_{number}",
                self._types[number],
                # Spark says so of columns alone.
                nullable=expression.nullable or not named,
            )
            for number, expression in enumerate(inputs)
        )

    def of(self, batch: Batch) -> pa.RecordBatch:
        """The inputs for the rows of a batch, in the host's memory."""
        return self.on_host(self.columns(batch))

    def columns(self, batch: Batch) -> Batch:
        """The inputs for the rows of a batch as columns of the engine."""
        return Batch(tuple(self._program.evaluate(batch)), batch.length)

    def device_rows(
        self, inputs: Batch, on_host: Callable[[], pa.RecordBatch] | None = None
    ) -> DeviceRows:
        """Rows of `columns` for functions on a GPU; `on_host` gives a copy of them."""
        return DeviceRows(inputs, self.schema.names, on_host or partial(self.on_host, inputs))

    def on_host(self, inputs: Batch) -> pa.RecordBatch:
        """Rows of `columns`, in the host's memory."""
        to_arrow = self._run.kernels.columns.to_arrow
        arrays = [
            changed(to_arrow(column.data, column.type), type_)
            for column, type_ in zip(inputs.columns, self._types, strict=True)
        ]
        return record_batch(arrays, self.schema, inputs.length)


class FunctionLayout:
    """The Arrow types of functions' columns, by the session's settings."""

    def __init__(self, functions: PythonCalls) -> None:
        conf = functions.conf
        self._zone = conf.get("spark.sql.session.timeZone", "UTC")
        self._large = conf.get("spark.sql.execution.arrow.useLargeVarTypes") == "true"

    def type_of(self, data_type: DataType) -> pa.DataType:
        """The Arrow type of a Spark type."""
        match data_type:
            case ArrayType(element=element, contains_null=nullable):
                return pa.list_(pa.field("element", self.type_of(element), nullable))
            case MapType(key=key, value=value, value_contains_null=nullable):
                return pa.map_(
                    pa.field("key", self.type_of(key), nullable=False),
                    pa.field("value", self.type_of(value), nullable),
                )
            case StructType(fields=fields):
                return pa.struct(
                    [pa.field(f.name, self.type_of(f.type), f.nullable) for f in fields]
                )
        match data_type.name:
            case "timestamp":
                return pa.timestamp("us", self._zone)
            case "day_time_interval":
                return pa.duration("us")
            case "string" if self._large:
                return pa.large_string()
            case "binary" if self._large:
                return pa.large_binary()
        return arrow_type(data_type)


def changed(array: pa.Array, target: pa.DataType) -> pa.Array:
    """The same values in another layout of the same Spark type."""
    # Without the check of metadata, the names of a map's columns would not count.
    return array if array.type.equals(target, check_metadata=True) else array.cast(target)


def record_batch(arrays: Sequence[pa.Array], schema: pa.Schema, length: int) -> pa.RecordBatch:
    """A batch of that many rows, which may have no columns."""
    if arrays:
        return pa.RecordBatch.from_arrays(list(arrays), schema=schema)
    empty = pa.StructArray.from_buffers(pa.struct([]), length, [None])
    return pa.RecordBatch.from_struct_array(empty)


class FunctionResults:
    """The results of functions as columns of the engine."""

    def __init__(self, output: Sequence[Attribute], run: Run) -> None:
        self._output = output
        self._run = run

    def columns(self, arrays: Sequence[pa.Array | pa.ChunkedArray]) -> tuple[Column, ...]:
        """The columns of a batch.

        Raises WouldRaise for a type that is not Spark's: Spark's operator then words the error.
        """
        if len(arrays) != len(self._output):
            raise WouldRaise("ARROW_TYPE_MISMATCH")
        return tuple(
            self._column(array, attribute.type)
            for array, attribute in zip(arrays, self._output, strict=True)
        )

    def _column(self, array: pa.Array | pa.ChunkedArray, data_type: DataType) -> Column:
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        if not _is(array.type, data_type):
            raise WouldRaise("ARROW_TYPE_MISMATCH")
        data = self._run.kernels.columns.from_arrow(
            changed(array, arrow_type(data_type)), data_type
        )
        return Column(data, data_type)


def _is(found: pa.DataType, data_type: DataType) -> bool:
    """Whether Spark reads an Arrow type as a Spark type."""
    match data_type:
        case ArrayType(element=element):
            listed = pa.types.is_list(found) or pa.types.is_large_list(found)
            return listed and _is(found.value_type, element)
        case MapType(key=key, value=value):
            return (
                pa.types.is_map(found) and _is(found.key_type, key) and _is(found.item_type, value)
            )
        case StructType(fields=fields):
            return (
                pa.types.is_struct(found)
                and found.num_fields == len(fields)
                and all(
                    found.field(i).name == field.name and _is(found.field(i).type, field.type)
                    for i, field in enumerate(fields)
                )
            )
    match data_type.name:
        case "string":
            return found in (pa.string(), pa.large_string())
        case "binary":
            return found in (pa.binary(), pa.large_binary())
        case "timestamp":
            zoned = pa.types.is_timestamp(found) and found.tz is not None
            return bool(zoned and found.unit == "us")
        case "day_time_interval":
            return bool(found == pa.duration("us"))
    return bool(found == arrow_type(data_type))


Rows = TypeVar("Rows")


class Cutting(Protocol[Rows]):
    """How the batches of a kind are cut and joined."""

    def length(self, batch: Rows) -> int:
        """The number of rows."""

    def cut(self, batch: Rows, start: int, length: int) -> Rows:
        """Some of the rows."""

    def join(self, batches: list[Rows]) -> Rows:
        """The rows of all batches, at least one."""


def in_batches(batches: Iterable[pa.RecordBatch], rows: int | None) -> Iterator[pa.RecordBatch]:
    """The same rows in the batches of Spark, on the host."""
    return regrouped(batches, rows, _RecordBatches())


def regrouped(batches: Iterable[Rows], rows: int | None, cutting: Cutting[Rows]) -> Iterator[Rows]:
    """The same rows in batches of exactly `rows`, but for the last; batches without rows go.

    Functions see the limits of their batches, so these are Spark's. None: all rows in one batch.
    """
    waiting: list[Rows] = []
    count = 0
    for batch in batches:
        start, length = 0, cutting.length(batch)
        while rows is not None and count + length - start >= rows:
            part = cutting.cut(batch, start, rows - count)
            start += rows - count
            yield cutting.join([*waiting, part])
            waiting, count = [], 0
        if start < length:
            waiting.append(cutting.cut(batch, start, length - start))
            count += length - start
    if waiting:
        yield cutting.join(waiting)


class _RecordBatches:
    """Batches of Arrow."""

    def length(self, batch: pa.RecordBatch) -> int:
        """The number of rows."""
        return int(batch.num_rows)

    def cut(self, batch: pa.RecordBatch, start: int, length: int) -> pa.RecordBatch:
        """Some of the rows."""
        return batch.slice(start, length)

    def join(self, batches: list[pa.RecordBatch]) -> pa.RecordBatch:
        """The rows of all batches."""
        return batches[0] if len(batches) == 1 else pa.concat_batches(batches)
