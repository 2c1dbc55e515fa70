"""Groups of rows and what is aggregated over them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import sums
from broadhead.kernels.arrow.physical import as_array, is_wide, to_wide

Array = Any
Request = tuple[str, Array, int]


class Grouping:
    """Rows put into groups by their keys; groups stand in the order of their first rows."""

    def __init__(self, keys: list[Array], length: int) -> None:
        self._rows = keys
        self._length = length
        self._grouped: list[Array] | None = None

    @property
    def keys(self) -> list[Array]:
        """The key values of each group."""
        if self._grouped is None:
            self._hash([])
        assert self._grouped is not None
        return self._grouped

    @property
    def size(self) -> int:
        """Number of groups."""
        return len(self.keys[0])

    def spread(self, values: Array) -> Array:
        """For each input row, the value of its group."""
        return values.take(self._ids)

    @cached_property
    def _ids(self) -> pa.Array:
        return pa.array(_number(self._rows))

    def aggregate(self, requests: Sequence[Request]) -> list[Any]:
        """One result for each request."""
        plan = Requests(requests, self._length)
        return plan.results(self._hash(plan.columns) if plan.columns else [])

    def _hash(self, columns: Sequence[tuple[Array, str, Any]]) -> list[Array]:
        """What pyarrow's aggregates give; it numbers groups by their first rows, each time alike."""
        keys = [f"key{i}" for i in range(len(self._rows))]
        names = [str(i) for i in range(len(columns))]
        table = pa.Table.from_arrays([*self._rows, *(c[0] for c in columns)], [*keys, *names])
        requests = [(name, c[1], c[2]) for name, c in zip(names, columns, strict=True)]
        grouped = table.group_by(keys, use_threads=False).aggregate(requests)
        if self._grouped is None:
            self._grouped = [as_array(grouped.column(key)) for key in keys]
        return [
            as_array(grouped.column(f"{name}_{function}"))
            for name, (_, function, _) in zip(names, columns, strict=True)
        ]


class SingleGroup:
    """All rows as one group, which is there without rows too."""

    keys: list[Array] = []  # noqa: RUF012 - there are none, ever
    size = 1

    def __init__(self, length: int) -> None:
        self._length = length

    def spread(self, values: Array) -> Array:
        """The one value for each input row."""
        return pa.repeat(values[0], self._length)

    def aggregate(self, requests: Sequence[Request]) -> list[Any]:
        """One result for each request."""
        plan = Requests(requests, self._length)
        return plan.results([_whole(*column) for column in plan.columns])


def _whole(array: Array, function: str, options: Any) -> Array:
    """What pyarrow's aggregate of the same name gives over all rows, in one row."""
    scalar = getattr(pc, function)(array, options=options)
    return pa.array([scalar.as_py()], scalar.type)


class Requests:
    """Requests as columns for pyarrow's aggregates, and their results from the answers."""

    def __init__(self, requests: Sequence[Request], length: int) -> None:
        self._requests = requests
        self._length = length
        self.columns: list[tuple[Array, str, Any]] = []
        self._finish = [self._add(*request) for request in requests]

    def results(self, answers: Sequence[Array]) -> list[Any]:
        """One result for each request, in order."""
        return [finish(answers) for finish in self._finish]

    def _ask(self, array: Array, function: str, options: Any = None) -> int:
        self.columns.append((array, function, options))
        return len(self.columns) - 1

    def _add(self, kind: str, data: Array, precision: int) -> Any:
        return getattr(self, f"_{kind}")(data, precision)

    def _count(self, data: Array, _: int) -> Any:
        number = self._ask(data, "count", pc.CountOptions(mode="only_valid"))
        return lambda answers: answers[number]

    def _sum(self, data: Array, _: int) -> Any:
        wanted = pa.float64() if pa.types.is_floating(data.type) else pa.int64()
        number = self._ask(pc.cast(data, wanted), "sum")
        return lambda answers: answers[number]

    def _sum_checked(self, data: Array, _: int) -> Any:
        if sums.fits(data, len(data)):
            number = self._ask(data, "sum")
            return lambda answers: (answers[number], None)
        high, low = sums.halves(data)
        first, second = self._ask(high, "sum"), self._ask(low, "sum")
        return lambda answers: sums.to_long(answers[first], answers[second])

    def _sum_unscaled(self, data: Array, precision: int) -> Any:
        if not is_wide(data) and sums.fits(data, len(data)):
            number = self._ask(data, "sum")
            return lambda answers: sums.check_precision(answers[number], precision)
        parts = [self._ask(part, "sum") for part in sums.parts(to_wide(data))]
        return lambda answers: sums.to_unscaled([answers[p] for p in parts], precision)

    def _min(self, data: Array, _: int) -> Any:
        return self._extreme(data, "min")

    def _max(self, data: Array, _: int) -> Any:
        return self._extreme(data, "max")

    def _extreme(self, data: Array, function: str) -> Any:
        number = self._ask(data, function)
        if not pa.types.is_floating(data.type):
            return lambda answers: answers[number]
        nan = pc.is_nan(data)
        if not pc.any(nan, min_count=0).as_py():
            return lambda answers: answers[number]
        # pyarrow passes over NaN; Spark's greatest value is NaN
        ordinary = as_array(pc.if_else(nan, pa.scalar(None, data.type), data))
        number = self._ask(ordinary, function)
        has_nan = self._ask(as_array(nan), "any")
        nan_value = pa.scalar(float("nan"), data.type)

        def finish(answers: Sequence[Array]) -> Array:
            wins = answers[has_nan]
            if function == "min":
                wins = pc.and_(wins, pc.is_null(answers[number]))
            return as_array(pc.if_else(pc.fill_null(wins, fill_value=False), nan_value, answers[number]))

        return finish

    def _first(self, data: Array, _: int) -> Any:
        return self._edge(data, "min", None)

    def _last(self, data: Array, _: int) -> Any:
        return self._edge(data, "max", None)

    def _first_valid(self, data: Array, _: int) -> Any:
        return self._edge(data, "min", data.is_valid())

    def _last_valid(self, data: Array, _: int) -> Any:
        return self._edge(data, "max", data.is_valid())

    def _edge(self, data: Array, function: str, wanted: Array | None) -> Any:
        rows = pa.array(np.arange(len(data)))
        if wanted is not None:
            rows = as_array(pc.if_else(wanted, rows, pa.scalar(None, pa.int64())))
        number = self._ask(rows, function)
        return lambda answers: data.take(answers[number])

    def _moment2(self, data: Array, _: int) -> Any:
        data = pc.cast(data, pa.float64())
        variance = self._ask(data, "variance", pc.VarianceOptions(ddof=0))
        count = self._ask(data, "count")
        return lambda answers: as_array(
            pc.multiply(answers[variance], pc.cast(answers[count], pa.float64()))
        )


def _number(keys: list[Array]) -> np.ndarray[Any, Any]:
    """A number for each row's group, from 0 in order of first rows."""
    codes: np.ndarray[Any, Any] | None = None
    for key in keys:
        encoded = key.dictionary_encode(null_encoding="encode")
        part = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        size = len(encoded.dictionary)
        if codes is None:
            codes = part
            continue
        if len(codes) and int(codes.max()) >= (2**62) // max(size, 1):
            codes = _dense(codes)
        codes = codes * size + part
    assert codes is not None
    return _dense(codes)


def _dense(codes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    encoded = pa.array(codes).dictionary_encode()
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False))
