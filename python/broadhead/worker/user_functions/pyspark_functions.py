"""The user's functions of a task, called by the code of PySpark's own worker."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from broadhead.errors import BroadheadError, UserError
from broadhead.operators.python.grouped_inputs import cut_group
from broadhead.worker.user_functions import (
    accelerators,
    grouped_frames,
    plain_columns,
    streams,
)
from broadhead.worker.user_functions.functions_mark import FunctionsMark
from broadhead.worker.user_functions.interpreter_state import InterpreterState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from broadhead.operators.user_functions import (
        DeviceGroup,
        DeviceResult,
        Group,
        GroupedRows,
        TableRows,
    )
    from broadhead.plan.python_nodes import PythonCalls, PythonNode, TableFunction
    from broadhead.types import DataType
    from broadhead.worker.user_functions.commands import Evaluation

T = TypeVar("T")

ROWS = 100
"""PySpark's `SQL_BATCHED_UDF`: functions of the values of one row."""

TABLE_ROWS = 300
"""PySpark's `SQL_TABLE_UDF`: table functions of the values of one row."""

STRUCT_INPUT = frozenset({205, 207, 209, 215})
"""Kinds that get their columns in one struct: mapInPandas, mapInArrow, applyInArrow."""


class PySparkFunctions:
    """The user's functions in a worker of Spark, whose state (task, broadcasts) is set up.

    `running` is the task's file that says whether the worker is in them.
    """

    def __init__(self, running: Path | None = None) -> None:
        self._mark = FunctionsMark(running)
        self.counters: dict[str, int] = {}

    def over_batches(
        self, functions: PythonCalls, batches: Iterable[pa.RecordBatch]
    ) -> Iterator[pa.RecordBatch]:
        """The results for the batches of a task."""
        watched = _Watched(self._mark)
        inputs = watched.items(batches)
        if functions.eval_type == ROWS:
            return _row_results(functions, inputs, watched)
        if functions.eval_type in STRUCT_INPUT:
            inputs = map(_in_struct, inputs)
        return _results(lambda: _started(functions, streams.BatchInput(inputs)), watched)

    def over_groups(
        self, functions: PythonCalls, groups: Iterable[Group]
    ) -> Iterator[pa.RecordBatch]:
        """The results for groups, one after the other."""
        watched = _Watched(self._mark)
        in_struct = functions.eval_type in STRUCT_INPUT

        def sides(group: Group) -> Group:
            found = [watched.items(side) for side in group]
            return [map(_in_struct, side) for side in found] if in_struct else found

        inputs = streams.GroupInput(map(sides, watched.items(groups)))
        return _results(lambda: _started(functions, inputs), watched)

    def over_grouped_rows(
        self, functions: PythonCalls, batches: Iterable[GroupedRows]
    ) -> Iterator[pa.RecordBatch]:
        """Like `over_groups`, for groups of one side that lie one after the other."""
        watched = _Watched(self._mark)
        inputs = watched.items(batches)
        if functions.eval_type == grouped_frames.GROUPED_MAP:
            return _results(lambda: _framed(functions, inputs), watched)
        return _results(lambda: _started(functions, _cut(functions, inputs)), watched)

    def over_device_rows(
        self,
        node: PythonNode,
        groups: Iterable[DeviceGroup],
        output: Sequence[DataType],
    ) -> Iterator[DeviceResult]:
        """The results for batches or groups on a GPU."""
        from broadhead.worker.user_functions.device_arguments import converted_arguments
        from broadhead.worker.user_functions.device_functions import DeviceEvaluation

        assert node.device is not None
        watched = _Watched(self._mark, on_device=True)
        evaluation = DeviceEvaluation(node, node.device, self.counters)

        def started() -> Iterator[DeviceResult]:
            with converted_arguments():
                found = _read(node.functions)
            return evaluation.results(found, watched.items(groups), output)

        return _results(started, watched)

    def over_elements(
        self, command: bytes, partition: int, elements: Iterable[bytes]
    ) -> Iterator[Sequence[object]]:
        """The rows that the functions of an RDD's partition make, some at a time."""
        from broadhead.worker.user_functions.rdd_rows import rdd_rows

        watched = _Watched(self._mark)

        def started() -> Iterator[Sequence[object]]:
            _find_modules()
            return rdd_rows(command, partition, watched.items(elements))

        return _results(started, watched)

    def over_table(
        self, functions: PythonCalls, table: TableFunction, batches: Iterable[pa.RecordBatch]
    ) -> Iterator[TableRows]:
        """The rows that a table function returns for the batches of a task."""
        from broadhead.worker.user_functions.table_rows import joined_batches

        watched = _Watched(self._mark)
        inputs = watched.items(batches)
        if functions.eval_type == TABLE_ROWS:
            return _table_rows(functions, table, inputs, watched)

        def started() -> Iterator[pa.RecordBatch]:
            return _batches(_read_table(functions, table), streams.BatchInput(inputs))

        return joined_batches(_results(started, watched))


class _Watched:
    """The input of functions, whose own errors are told from those of the functions."""

    def __init__(self, mark: FunctionsMark, *, on_device: bool = False) -> None:
        self._on_device = on_device
        self._error: Exception | None = None
        self._mark = mark
        self._state = InterpreterState()

    def _enter(self) -> None:
        self._mark.enter()
        self._state.to_functions()

    def _leave(self) -> None:
        self._state.to_engine()
        self._mark.leave()

    def items(self, items: Iterable[T]) -> Iterator[T]:
        """The items; remembers the error that ends them."""
        iterator = iter(items)
        while True:
            self._leave()
            try:
                item = next(iterator)
            except StopIteration:
                return
            except Exception as error:
                self._error = error
                raise
            finally:
                self._enter()
            yield item

    @contextmanager
    def functions(self) -> Iterator[None]:
        """What runs functions: their errors become `UserError`, unless they are the input's."""
        self._enter()
        try:
            with nullcontext() if self._on_device else accelerators.real_pandas():
                yield
        except BroadheadError:
            raise
        except BaseException as error:
            self.check()
            raise UserError(error) from error
        finally:
            self._leave()
        self.check()

    def check(self) -> None:
        """Raises the error of the input, even if a function has caught it."""
        if self._error is not None:
            raise self._error


def _row_results(
    functions: PythonCalls, batches: Iterator[pa.RecordBatch], watched: _Watched
) -> Iterator[pa.RecordBatch]:
    from broadhead.worker.user_functions.rows import RowEvaluation

    evaluation = RowEvaluation(functions, _version())

    def started() -> Iterator[list[Any]]:
        return evaluation.results(_read(functions).function, batches)

    yield from map(evaluation.batch, _results(started, watched))


def _table_rows(
    functions: PythonCalls,
    table: TableFunction,
    batches: Iterator[pa.RecordBatch],
    watched: _Watched,
) -> Iterator[TableRows]:
    from broadhead.worker.user_functions.table_rows import Rows, TableEvaluation

    evaluation = TableEvaluation(functions, _version())

    def started() -> Iterator[list[Rows]]:
        return evaluation.results(_read_table(functions, table).function, batches)

    yield from map(evaluation.table_rows, _results(started, watched))


def _results(start: Callable[[], Iterator[T]], watched: _Watched) -> Iterator[T]:
    """What functions return after `start`; their exceptions as `UserError`."""
    with watched.functions():
        results = start()
    while True:
        with watched.functions():
            result = next(results, _END)
        if isinstance(result, _End):
            return
        yield result


class _End:
    """What comes after the last result."""


_END = _End()


def _started(
    functions: PythonCalls, inputs: streams.BatchInput | streams.GroupInput
) -> Iterator[pa.RecordBatch]:
    return _batches(_read(functions), inputs)


def _framed(functions: PythonCalls, batches: Iterator[GroupedRows]) -> Iterator[pa.RecordBatch]:
    """What a function over groups returns: of each frame, or of many small ones together."""
    with grouped_frames.wrapping() as wrapped:
        found = _read(functions)
    if not wrapped.takes_frames:
        return _batches(found, _cut(functions, batches))
    _shorten(found)
    return grouped_frames.GroupedFrames(wrapped, found, functions).results(batches)


def _cut(functions: PythonCalls, batches: Iterator[GroupedRows]) -> streams.GroupInput:
    limit, in_struct = functions.batch_rows, functions.eval_type in STRUCT_INPUT

    def groups() -> Iterator[Group]:
        for batch in batches:
            for start, end in zip(batch.starts, batch.ends, strict=True):
                group = cut_group(batch.rows, start, end, limit)
                yield (map(_in_struct, group) if in_struct else group,)

    return streams.GroupInput(groups())


def _batches(
    found: Evaluation, inputs: streams.BatchInput | streams.GroupInput
) -> Iterator[pa.RecordBatch]:
    """What the functions return, computed when it is read."""
    output = streams.BatchOutput()
    _shorten(found)
    loaded = found.deserializer.load_stream(inputs)
    found.serializer.dump_stream(found.function(0, loaded), output)
    return map(streams.copied, output.batches)


def _shorten(found: Evaluation) -> None:
    for serializer in {id(each): each for each in (found.deserializer, found.serializer)}.values():
        plain_columns.shorten(serializer)


def _read(functions: PythonCalls) -> Evaluation:
    _find_modules()
    streams.install()
    from broadhead.worker.user_functions.commands import read_functions

    return read_functions(functions, _version())


def _read_table(functions: PythonCalls, table: TableFunction) -> Evaluation:
    _find_modules()
    streams.install()
    from broadhead.worker.user_functions.table_commands import read_table_function

    return read_table_function(functions, table, _version())


def _version() -> tuple[int, ...]:
    """The major and the minor version of PySpark."""
    from pyspark import __version__

    return tuple(map(int, __version__.split(".")[:2]))


@cache
def _find_modules() -> None:
    """Let functions import modules of the current directory, as in Spark's workers.

    Workers of fragments start without it on their path, so that it hides no module of theirs:
    here it comes last. Python processes that functions start have it, as those of Spark's workers.
    """
    os.environ.pop("PYTHONSAFEPATH", None)
    directory = os.getcwd()  # noqa: PTH109 - Spark's path has strings
    if directory not in sys.path:
        sys.path.append(directory)


def _in_struct(batch: pa.RecordBatch) -> pa.RecordBatch:
    struct = batch.to_struct_array()
    return pa.RecordBatch.from_arrays([struct], ["_0"])
