"""The registry of SQL functions: their signatures, and their implementations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from broadhead.registry import Entry, Registry

if TYPE_CHECKING:
    from broadhead.columns import Column

ArgumentTypes = frozenset[str] | Literal["same"]
Allowed = tuple[Any, ...] | Literal["any"]

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
ANY = ATOMIC | COLLATED_STRING | {"void"}
NESTED = COLLATED_NESTED | {"array", "map", "struct"}
SAME: Literal["same"] = "same"

EVAL_MODE: Mapping[str, Allowed] = {
    "evalMode": ("ANSI", "LEGACY", "TRY"),
    "allowDecimalPrecisionLoss": "any",  # has already shaped the result type
}


@dataclass(frozen=True, slots=True)
class Signature:
    """Argument and result types of a function: see docs/wire-format.md, section 3."""

    args: tuple[ArgumentTypes, ...]
    returns: frozenset[str]
    variadic: bool = False
    literal: tuple[int, ...] = ()
    values: Mapping[int, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Function(Entry):
    """A registered SQL function.

    `evaluate(kernels, *columns, **options)` returns a Column; `options` are those of `returns` (the
    result's DataType), `zone` (the plan's Zone of the field `timeZoneId`), `collations` (the source
    of collation keys) and the fields, in snake case, that the implementation has as keyword-only
    parameters.
    """

    raises: bool
    evaluate: Callable[..., Column]
    options: frozenset[str]
    last_java: int | None = None
    lag: int = 0
    on_host: bool = False
    grows: bool = False


_registry = Registry[Function]("broadhead.functions")


def function(
    name: str,
    *,
    spark: str,
    signatures: Sequence[Signature],
    fields: Mapping[str, Allowed] | None = None,
    raises: bool = False,
    last_java: int | None = None,
    lag: int = 0,
    on_host: bool = False,
    grows: bool = False,
    note: str = "",
) -> Callable[[Callable[..., Column]], Callable[..., Column]]:
    """Register the implementation of the Spark expression class `spark`, called `name` in SQL.

    `raises`: whether some rows can make it raise `WouldRaise`; conditional expressions evaluate
    such branches only on the rows that reach them. Arguments of the implementation may be scalars
    (not all of them); it returns an Array column.
    `last_java`: the last release of Java whose results are those of the implementation.
    `lag`: nanoseconds a row that it takes longer than Spark's code on the CPU, where that is much.
    `on_host`: whether it is computed in the host's memory in tasks on a GPU, too.
    `grows`: whether a value may be much larger than the arguments; conditional expressions evaluate
    it only on the rows that reach it.
    """

    def register(evaluate: Callable[..., Column]) -> Callable[..., Column]:
        parameters = inspect.signature(evaluate).parameters.values()
        options = frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)
        _registry.add(
            Function(
                name=name,
                spark=spark,
                signatures=tuple(signatures),
                fields=dict(fields or {}),
                note=note,
                raises=raises,
                last_java=last_java,
                lag=lag,
                on_host=on_host,
                grows=grows,
                evaluate=evaluate,
                options=options,
            )
        )
        return evaluate

    return register


def functions() -> Mapping[str, Function]:
    """All functions by Spark class."""
    return _registry.entries()
