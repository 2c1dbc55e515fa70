"""How Spark calls a user's Python function: its kind, arguments, result and settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broadhead.types import DataType


class FunctionKind(IntEnum):
    """The kinds of functions that may be traced, with PySpark's `PythonEvalType`."""

    PLAIN = 100
    PLAIN_ARROW = 101
    SCALAR_PANDAS = 200
    SCALAR_ARROW = 250


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of the call; `name` if it is passed by keyword."""

    type: DataType
    nullable: bool
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ConversionSettings:
    """Spark's settings that change how values are converted for the function.

    `safe`: `spark.sql.execution.pandas.convertToArrowArraySafely`. `legacy_pandas`:
    `spark.sql.legacy.execution.pythonUDF.pandas.conversion.enabled`.
    """

    time_zone: str = "UTC"
    safe: bool = False
    legacy_pandas: bool = False


@dataclass(frozen=True, slots=True)
class FunctionSignature:
    """One call of a function in a plan."""

    kind: FunctionKind
    arguments: tuple[Argument, ...]
    returns: DataType
    settings: ConversionSettings = field(default_factory=ConversionSettings)
