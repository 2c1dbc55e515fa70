"""Answers to queries as values: to compare, and to keep in files."""

from __future__ import annotations

import hashlib
import json
import math
import struct
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

from leeway import EXACT, Leeway

EPOCH = datetime(1970, 1, 1)
CANONICAL_NAN = "7ff8000000000000"


class Mismatch(AssertionError):
    """A query whose answer is not Spark's, or that was answered by Spark."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a query, in any order.

    Dates, timestamps and durations are integers, as Spark holds them: Python's own ones cannot
    hold all years, and those of a repeated hour are equal.
    """

    names: list[str]
    types: list[str]
    rows: list[tuple[Any, ...]]

    @staticmethod
    def of(table: pa.Table) -> Rows:
        """The rows of an Arrow table."""
        columns = [_values(column.combine_chunks()) for column in table.columns]
        rows = list(zip(*columns, strict=True)) if columns else [()] * table.num_rows
        return Rows(table.column_names, [str(field.type) for field in table.schema], rows)

    def lines(self) -> list[str]:
        """Each row as text that only equal rows have, sorted; a TypeError where there is none."""
        return sorted(json.dumps([_encoded(value) for value in row]) for row in self.rows)

    def digest(self) -> str:
        """A hash of all rows."""
        return hashlib.sha256("\n".join(self.lines()).encode()).hexdigest()


def compare_rows(expected: Rows, actual: Rows, leeway: Leeway = EXACT) -> None:
    """Raises `Mismatch` where types or rows differ; the order of rows does not count."""
    if expected.types != actual.types:
        raise Mismatch(f"types: {expected.types} from Spark, {actual.types} from Broadhead")
    if len(expected.rows) != len(actual.rows):
        raise Mismatch(f"{len(expected.rows)} rows from Spark, {len(actual.rows)} from Broadhead")
    ordered = [sorted(answer.rows, key=_order) for answer in (expected, actual)]
    for left, right in zip(*ordered, strict=True):
        for ordinal, (a, b) in enumerate(zip(left, right, strict=True)):
            if not _equal(a, b, leeway):
                name = expected.names[ordinal]
                raise Mismatch(
                    f"column {name}: {a!r} from Spark, {b!r} from Broadhead\n{left}\n{right}"
                )


def encoded_row(row: tuple[Any, ...]) -> list[Any]:
    """A row as JSON can hold it, with types and bits kept; a TypeError where it cannot."""
    return [_encoded(value) for value in row]


def decoded_row(row: list[Any]) -> tuple[Any, ...]:
    """The row that was encoded."""
    return tuple(_decoded(value) for value in row)


def _values(column: pa.Array) -> list[Any]:
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.int64())
    elif pa.types.is_date32(column.type):
        column = column.cast(pa.int32())
    return [_plain(value) for value in column.to_pylist()]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(field) for name, field in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(element) for element in value]
    if isinstance(value, datetime):
        since = value - (EPOCH if value.tzinfo is None else EPOCH.replace(tzinfo=UTC))
        return since // timedelta(microseconds=1)
    if isinstance(value, date):
        return (value - EPOCH.date()).days
    if isinstance(value, timedelta):
        return value // timedelta(microseconds=1)
    return value


def _encoded(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        bits = struct.pack(">d", value).hex()
        return value if bits == CANONICAL_NAN else {"$nan": bits}
    if isinstance(value, Decimal):
        return {"$decimal": str(value)}
    if isinstance(value, bytes):
        return {"$bytes": value.hex()}
    if isinstance(value, dict):
        return {name: _encoded(field) for name, field in value.items()}
    if isinstance(value, list):
        return [_encoded(element) for element in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} has no encoding: add one to tests/sql_answers.py")


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(element) for element in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"$nan": bits}:
            return struct.unpack(">d", bytes.fromhex(bits))[0]
        case {"$decimal": text}:
            return Decimal(text)
        case {"$bytes": digits}:
            return bytes.fromhex(digits)
    return {name: _decoded(field) for name, field in value.items()}


def _order(row: tuple[Any, ...]) -> tuple[list[str], str]:
    """An order in which the last digits of floats count after everything else."""
    rounded = [f"{value:.6e}" if isinstance(value, float) else repr(value) for value in row]
    return rounded, repr(row)


def _equal(left: Any, right: Any, leeway: Leeway) -> bool:
    if isinstance(left, dict) and isinstance(right, dict):
        left, right = list(left.items()), list(right.items())
    elif isinstance(left, list) and isinstance(right, list) and leeway.any_order:
        left, right = sorted(left, key=repr), sorted(right, key=repr)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(
            _equal(a, b, leeway) for a, b in zip(left, right, strict=True)
        )
    if not isinstance(left, float) or not isinstance(right, float):
        return bool(left == right) and type(left) is type(right)
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    if struct.pack("d", left) == struct.pack("d", right):
        return True
    if leeway.relative and math.isclose(left, right, rel_tol=leeway.relative):
        return True
    return leeway.ulps > 0 and abs(left - right) <= leeway.ulps * math.ulp(left)
