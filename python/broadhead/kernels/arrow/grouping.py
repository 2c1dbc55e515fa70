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
    """Rows put into groups by their keys."""

    def __init__(self, keys: list[Array], length: int) -> None:
        self._length = length
        self._ids, first_rows = _encode(keys)
        self.size = len(first_rows)
        self.keys = [key.take(first_rows) for key in keys]

    @cached_property
    def _id_array(self) -> pa.Array:
        return pa.array(self._ids)

    def spread(self, values: Array) -> Array:
        """For each input row, the value of its group."""
        return values.take(self._id_array)

    def aggregate(self, requests: Sequence[Request]) -> list[Any]:
        """One result for each request."""
        plan = Requests(requests, self._length)
        answers = self._hash(plan.columns)
        return plan.results(answers)

    def _hash(self, columns: Sequence[tuple[Array, str, Any]]) -> list[Array]:
        """The group of row i is `ids[i]`: pyarrow aggregates by it, results are put in id order."""
        if not columns:
            return []
        names = [str(i) for i in range(len(columns))]
        table = pa.Table.from_arrays([*(c[0] for c in columns), self._id_array], [*names, "id"])
        requests = [(n, c[1], c[2]) for n, c in zip(names, columns, strict=True)]
        grouped = table.group_by("id", use_threads=False).aggregate(requests)
        ids = grouped.column("id").to_numpy()
        order = None
        if not np.array_equal(ids, np.arange(self.size)):
            places = np.empty(self.size, np.int64)
            places[ids] = np.arange(self.size)
            order = pa.array(places)
        answers = []
        for number, (_, function, _) in enumerate(columns):
            answer = as_array(grouped.column(f"{number}_{function.removeprefix('hash_')}"))
            answers.append(answer if order is None else answer.take(order))
        return answers


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


def _encode(keys: list[Array]) -> tuple[np.ndarray[Any, Any], pa.Array]:
    """A number for each row's group, in order of first appearance, and each group's first row."""
    codes: np.ndarray[Any, Any] | None = None
    for key in keys:
        encoded = key.dictionary_encode(null_encoding="encode")
        part = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        size = len(encoded.dictionary)
        codes = part if codes is None else _combine(codes, part, size)
    assert codes is not None
    return _dense(codes)


def _combine(codes: np.ndarray[Any, Any], part: np.ndarray[Any, Any], size: int) -> np.ndarray[Any, Any]:
    if len(codes) and int(codes.max()) >= (2**62) // max(size, 1):
        codes, _ = _dense(codes)
    return codes * size + part


def _dense(codes: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], pa.Array]:
    """Codes as numbers from 0 in order of first appearance, and where each first stands."""
    encoded = pa.array(codes).dictionary_encode()
    ids = encoded.indices.to_numpy(zero_copy_only=False)
    rows = np.empty(len(encoded.dictionary), np.int64)
    rows[ids[::-1]] = np.arange(len(ids))[::-1]
    return ids, pa.array(rows)
