"""The registry of SQL functions: their signatures, and their implementations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Unpack

from broadhead.registry import Entry, EntryProperties, Registry

if TYPE_CHECKING:
    from broadhead.columns import Column
    from broadhead.functions.branches import Evaluation
    from broadhead.kernels.interface import Array
    from broadhead.plan.expressions import Call
    from broadhead.registry import Allowed, Signature

INTEGRAL = frozenset({"byte", "short", "integer", "long"})
FLOATING = frozenset({"float", "double"})
DECIMAL = frozenset({"decimal"})
NUMERIC = INTEGRAL | FLOATING | DECIMAL
BOOLEAN = frozenset({"boolean"})
STRING = frozenset({"string"})
BINARY = frozenset({"binary"})
DATE = frozenset({"date"})
TIMESTAMPS = frozenset({"timestamp", "timestamp_ntz"})
INT = frozenset({"integer"})
YEAR_MONTH_INTERVAL = frozenset({"year_month_interval"})
DAY_TIME_INTERVAL = frozenset({"day_time_interval"})
INTERVALS = YEAR_MONTH_INTERVAL | DAY_TIME_INTERVAL
ATOMIC = NUMERIC | BOOLEAN | STRING | BINARY | DATE | TIMESTAMPS | INTERVALS
COLLATED_STRING = frozenset({"collated_string"})
COLLATED_NESTED = frozenset({"collated_array", "collated_map", "collated_struct"})
FIXED_WIDTH = ATOMIC - STRING - BINARY
ANY = ATOMIC | COLLATED_STRING | {"void"}
NESTED = COLLATED_NESTED | {"array", "map", "struct"}
SAME: Literal["same"] = "same"

EVAL_MODE: Mapping[str, Allowed] = {
    "evalMode": ("ANSI", "LEGACY", "TRY"),
    "allowDecimalPrecisionLoss": "any",  # has already shaped the result type
}


ByBranch = Callable[["Evaluation", Sequence[int]], "Array"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Function(Entry):
    """A registered SQL function.

    `evaluate(kernels, *columns, **options)` returns an Array column; the columns may be scalars,
    but not all of them. `options` are those of `returns` (the result's DataType), `zone` (the
    plan's Zone of the field `timeZoneId`), `collations` (the source of collation keys) and the
    fields, in snake case, that the implementation has as keyword-only parameters.

    `raises`: whether some rows can make it raise `WouldRaise`; conditional expressions evaluate
    such branches only on the rows that reach them, and no row is dropped before it.
    `cheap`: the types of arguments for which it takes less time than to copy the rows that an
    earlier condition keeps.
    `lag`: nanoseconds a row that it takes longer than Spark's code on the CPU, where that is much.
    `on_host`: whether it is computed in the host's memory in tasks on a GPU, too.
    `null_intolerant`: whether the result is surely null where an argument is.
    `by_branch`: evaluates the arguments one after the other, each on the rows that reach it, if a
    row may need none of the later ones.
    `rewritten`: the call as the engine computes it.
    `costly`: whether it is slow, or its values may be much larger than the arguments; conditional
    expressions evaluate it only on the rows that reach it.
    """

    evaluate: Callable[..., Column]
    options: frozenset[str]
    raises: bool = False
    cheap: frozenset[str] = frozenset()
    lag: int = 0
    on_host: bool = False
    null_intolerant: bool = False
    by_branch: ByBranch | None = None
    rewritten: Callable[[Call], Call] | None = None
    costly: bool = False


class FunctionProperties(EntryProperties, total=False):
    """The fields of `Function` that have defaults."""

    raises: bool
    cheap: frozenset[str]
    lag: int
    on_host: bool
    null_intolerant: bool
    by_branch: ByBranch | None
    rewritten: Callable[[Call], Call] | None
    costly: bool


_registry = Registry[Function]("broadhead.functions")


def function(
    name: str,
    *,
    spark: str,
    signatures: Sequence[Signature],
    **properties: Unpack[FunctionProperties],
) -> Callable[[Callable[..., Column]], Callable[..., Column]]:
    """Register the implementation of the Spark expression class `spark`, called `name` in SQL."""

    def register(evaluate: Callable[..., Column]) -> Callable[..., Column]:
        parameters = inspect.signature(evaluate).parameters.values()
        options = frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)
        _registry.add(
            Function(
                name=name,
                spark=spark,
                signatures=tuple(signatures),
                evaluate=evaluate,
                options=options,
                **properties,
            )
        )
        return evaluate

    return register


def functions() -> Mapping[str, Function]:
    """All functions by Spark class."""
    return _registry.entries()
