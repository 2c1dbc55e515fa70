"""Functions of `applyInPandas`, without the general steps of PySpark for each group.

PySpark converts the columns of each group, joins them with `pandas.concat`, and converts the
function's frame back. Here the columns of many groups are converted at once, by PySpark's own
code, and each group is a slice of their frame. pandas copies what a function changes in its slice.
"""

from __future__ import annotations

import hashlib
import inspect
from bisect import bisect_right
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.operators.python.grouped_inputs import cut_group
from broadhead.operators.user_functions import GroupedRows
from broadhead.worker.user_functions.collected_frames import CollectedFrames
from broadhead.worker.user_functions.streams import GroupInput, copied

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.plan.python_nodes import PythonCalls
    from broadhead.worker.user_functions.commands import Evaluation

GROUPED_MAP = 201
"""PySpark's `SQL_GROUPED_MAP_PANDAS_UDF`."""

KNOWN_WRAP = "1ebf1fbeb4f2921495c6b034df9c5d733f21824c4eaf67184c60ab3054c1b829"
"""The SHA-256 of PySpark's `wrap_grouped_map_pandas_udf`, whose steps are left out here.

It is that of Spark 4.0 and 4.1. With another one PySpark's own steps are taken.
"""


MOST_ROWS = 50_000
"""Rows of the groups that are converted together, unless one has more."""


@dataclass
class Wrapping:
    """What PySpark's worker knows of a function when it wraps it for groups."""

    function: Any = None
    return_type: Any = None
    conf: Any = None
    arguments: int = 0

    @property
    def takes_frames(self) -> bool:
        """Whether a function was wrapped that takes a frame, alone or after the key."""
        return self.arguments in (1, 2)


@contextmanager
def wrapping() -> Iterator[Wrapping]:
    """What PySpark's worker wraps while this is entered; nothing if it has other steps."""
    from pyspark import worker

    found = Wrapping()
    if not _is_known():
        yield found
        return
    wrap = worker.wrap_grouped_map_pandas_udf

    def noted(function: Any, return_type: Any, argspec: Any, conf: Any) -> Any:
        found.function, found.return_type, found.conf = function, return_type, conf
        found.arguments = len(argspec.args)
        return wrap(function, return_type, argspec, conf)

    worker.wrap_grouped_map_pandas_udf = noted
    try:
        yield found
    finally:
        worker.wrap_grouped_map_pandas_udf = wrap


@cache
def _is_known() -> bool:
    """Whether PySpark's steps are known, and pandas copies on write."""
    from pyspark import worker

    try:
        import pandas as pd
    except ImportError:
        # PySpark's own steps word the error.
        return False
    wrap = getattr(worker, "wrap_grouped_map_pandas_udf", None)
    if wrap is None or int(pd.__version__.partition(".")[0]) < 3:
        return False
    return hashlib.sha256(inspect.getsource(wrap).encode()).hexdigest() == KNOWN_WRAP


class GroupedFrames:
    """A function of a frame, or of a key and a frame."""

    def __init__(self, wrapped: Wrapping, evaluation: Evaluation, functions: PythonCalls) -> None:
        from pyspark import worker

        self._wrapped = wrapped
        self._evaluation = evaluation
        self._limit = functions.batch_rows
        (call,) = functions.calls
        # PySpark's offsets: how many follow, the number of keys, the keys, the values.
        _, keys, *offsets = (argument.input for argument in call.arguments)
        self._keys, self._values = offsets[:keys], offsets[keys:]
        large = worker.use_large_var_types(wrapped.conf)
        self._returns = worker.to_arrow_type(wrapped.return_type, large)
        self._by_name = worker.assign_cols_by_name(wrapped.conf)

    def results(self, batches: Iterator[GroupedRows]) -> Iterator[pa.RecordBatch]:
        """The function's rows for all groups, one after the other."""
        serializer = self._evaluation.serializer
        collected = CollectedFrames(self._returns, serializer._create_array)
        for batch in batches:
            for frame in chain.from_iterable(map(self._called, _parts(batch))):
                if collected.add(frame):
                    if collected.are_due:
                        yield collected.take()
                else:
                    if collected:
                        yield collected.take()
                    yield self._converted(frame)
            if collected:
                yield collected.take()

    def _called(self, batch: GroupedRows) -> Iterator[Any]:
        function = self._wrapped.function
        for key, frame in self._groups(batch):
            yield function(frame) if key is None else function(key, frame)

    def _converted(self, frame: Any) -> pa.RecordBatch:
        """What the function has returned, checked and converted by PySpark."""
        from pyspark import worker

        worker.verify_pandas_result(
            frame, self._wrapped.return_type, self._by_name, truncate_return_schema=False
        )
        return copied(self._evaluation.serializer._create_batch([(frame, self._returns)]))

    def _groups(self, batch: GroupedRows) -> Iterator[tuple[Any, Any]]:
        """The key and the frame of each group; None for a key that the function does not take."""
        import pandas as pd

        columns = self._columns(batch)
        whole = None if columns is None else self._frame(columns)
        for start, end in zip(batch.starts, batch.ends, strict=True):
            length = end - start
            # A group of several batches has memory of its own, which a function may write to.
            if whole is not None and (self._limit is None or length <= self._limit):
                frame = whole.iloc[start:end]
                frame.index = pd.RangeIndex(length)
                yield self._key(columns, start), frame
            else:
                own = self._load(cut_group(batch.rows, start, end, self._limit))
                yield self._key(own, 0), self._frame(own)

    def _columns(self, batch: GroupedRows) -> Any:
        """The columns of all groups; None if those of a group may differ from its part of them."""
        if not all(map(_is_same_in_parts, batch.rows.columns)):
            return None
        try:
            return self._load(iter([batch.rows]))
        except Exception:
            # A value that pandas does not have: its group is the one that fails.
            return None

    def _load(self, batches: Iterator[pa.RecordBatch]) -> Any:
        """The columns of a group as PySpark loads them."""
        return next(iter(self._evaluation.deserializer.load_stream(GroupInput([(batches,)]))))

    def _frame(self, columns: Any) -> Any:
        import pandas as pd

        return pd.concat([columns[value] for value in self._values], axis=1)

    def _key(self, columns: Any, row: int) -> Any:
        if self._wrapped.arguments == 1:
            return None
        return tuple(columns[key][row] for key in self._keys)


def _parts(batch: GroupedRows) -> Iterator[GroupedRows]:
    """Groups of a batch that become one frame: some types take many times as much in pandas."""
    number, groups = 0, len(batch.starts)
    while number < groups:
        first = batch.starts[number]
        stop = bisect_right(batch.ends, first + MOST_ROWS, lo=number + 1)
        starts = [start - first for start in batch.starts[number:stop]]
        ends = [end - first for end in batch.ends[number:stop]]
        yield GroupedRows(batch.rows.slice(first, ends[-1]), starts, ends)
        number = stop


_WITH_NULLS = (pa.types.is_floating, pa.types.is_string, pa.types.is_large_string)
_WITHOUT_NULLS = (
    pa.types.is_integer,
    pa.types.is_boolean,
    pa.types.is_date,
    pa.types.is_timestamp,
    pa.types.is_decimal,
)


def _is_same_in_parts(column: pa.Array) -> bool:
    """Whether each part of a column becomes the same in pandas alone and with the other parts.

    In most types nulls change the dtype.
    """
    if any(is_kind(column.type) for is_kind in _WITH_NULLS):
        return True
    return column.null_count == 0 and any(is_kind(column.type) for is_kind in _WITHOUT_NULLS)
