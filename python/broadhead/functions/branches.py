"""Conditional expressions evaluated branch by branch, each only on the rows that reach it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit, WouldRaise
from broadhead.types import BOOLEAN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.columns import Column
    from broadhead.kernels.interface import Array, Kernels
    from broadhead.types import DataType


MOST_RAISING = 100
"""Rows of a batch that raise in a try function; with more, Spark is faster."""


class Evaluation(Protocol):
    """The steps of a program for some rows, each computed on first use."""

    @property
    def kernels(self) -> Kernels:
        """The kernels of all steps."""

    @property
    def length(self) -> int:
        """Number of rows."""

    def array(self, number: int) -> Column:
        """The step's result as an Array column."""

    def type_of(self, number: int) -> DataType:
        """The type of the step's result."""

    def restrict(self, mask: Array) -> Evaluation:
        """The same steps for the rows where `mask` is true."""


def and_(rows: Evaluation, arguments: Sequence[int]) -> Array:
    """AND: the right side where the left one is not false."""
    logic = rows.kernels.logic
    left = rows.array(arguments[0]).data
    reaches = logic.not_(logic.is_true(logic.not_(left)))
    return logic.and_(left, _on(rows, reaches, arguments[1]))


def or_(rows: Evaluation, arguments: Sequence[int]) -> Array:
    """OR: the right side where the left one is not true."""
    logic = rows.kernels.logic
    left = rows.array(arguments[0]).data
    reaches = logic.not_(logic.is_true(left))
    return logic.or_(left, _on(rows, reaches, arguments[1]))


def case(rows: Evaluation, arguments: Sequence[int]) -> Array:
    """CASE and IF: pairs of condition and value, then optionally the value of ELSE."""
    logic = rows.kernels.logic
    if len(arguments) == 1:
        return rows.array(arguments[0]).data
    if not arguments:
        raise AssertionError("a CASE without branches has no value")
    condition = logic.is_true(rows.array(arguments[0]).data)
    then = _on(rows, condition, arguments[1])
    if len(arguments) == 2:
        return logic.null_where(then, logic.not_(condition))
    others = logic.not_(condition)
    otherwise = rows.kernels.columns.scatter(case(rows.restrict(others), arguments[2:]), others)
    return logic.if_else(condition, then, otherwise)


def coalesce(rows: Evaluation, arguments: Sequence[int]) -> Array:
    """COALESCE: each value where those before it are null."""
    logic = rows.kernels.logic
    first = rows.array(arguments[0]).data
    if len(arguments) == 1:
        return first
    missing = logic.is_null(first)
    rest = coalesce(rows.restrict(missing), arguments[1:])
    return logic.coalesce([first, rows.kernels.columns.scatter(rest, missing)])


def _on(rows: Evaluation, mask: Array, number: int) -> Array:
    """The step's result where `mask` is true, null elsewhere."""
    return rows.kernels.columns.scatter(rows.restrict(mask).array(number).data, mask)


def try_(rows: Evaluation, arguments: Sequence[int]) -> Array:
    """The value, null in the rows that raise: these are found by halving the rows."""
    return _tried(rows, arguments[0], [MOST_RAISING])


def _tried(rows: Evaluation, number: int, left: list[int]) -> Array:
    columns = rows.kernels.columns
    try:
        return rows.array(number).data
    except WouldRaise as error:
        if rows.length == 1:
            left[0] -= 1
            if not left[0]:
                raise EngineLimit("many rows raise an error in a try function") from error
            return columns.full(columns.scalar(None, rows.type_of(number)), 1)
    first = np.arange(rows.length) < rows.length // 2
    halves = []
    for part in (first, ~first):
        mask = columns.from_arrow(pa.array(part), BOOLEAN)
        halves.append(columns.scatter(_tried(rows.restrict(mask), number, left), mask))
    return rows.kernels.logic.if_else(columns.from_arrow(pa.array(first), BOOLEAN), *halves)
