"""The mechanism of all registries: entries by Spark class, filled by the modules of a package.

What the planner and the operators must know of a function is a field of its entry, given where the
function is written. A rule that listed functions by name would miss the next one.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypedDict, TypeVar

from broadhead.levels import Level, weakest

ArgumentTypes = frozenset[str] | Literal["same"]
Allowed = tuple[Any, ...] | Literal["any"]


@dataclass(frozen=True, slots=True)
class Signature:
    """Argument and result types of a function: see docs/wire-format.md, section 3.

    `level`: how equal its results for such arguments are to Spark's, unless its entry says it.
    `since`: the first version of Spark that gives these results; before it, Spark computes them.
    """

    args: tuple[ArgumentTypes, ...]
    returns: frozenset[str]
    variadic: bool = False
    literal: tuple[int, ...] = ()
    values: Mapping[int, tuple[Any, ...]] = field(default_factory=dict)
    level: Level = "exact"
    since: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The information on a registered function that the planner needs.

    `name` is the name in SQL, `spark` the simple name of the Catalyst class. `fields` are the
    parameters of the class that change meaning, with the values that are supported. `note` tells
    users of a limit. `level` is how equal the results of all signatures are to Spark's. `since` is
    the first version of Spark that gives these results.
    """

    name: str
    spark: str
    signatures: tuple[Signature, ...]
    fields: Mapping[str, Allowed] = field(default_factory=dict)
    note: str = ""
    level: Level = "exact"
    since: str = ""

    def level_of(self, signature: Signature) -> Level:
        """How equal the results for such arguments are to Spark's."""
        return weakest([self.level, signature.level])

    @property
    def weakest_level(self) -> Level:
        """The level that holds for any arguments."""
        return weakest(map(self.level_of, self.signatures))


class EntryProperties(TypedDict, total=False):
    """The fields of `Entry` that have defaults."""

    fields: Mapping[str, Allowed]
    note: str
    level: Level
    since: str


E = TypeVar("E", bound=Entry)


class Registry(Generic[E]):
    """The entries that the modules of a package register when they are imported."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._entries: dict[str, E] = {}
        self._complete = False

    def add(self, entry: E) -> None:
        """Register; raises `ValueError` if the Spark class already has an entry."""
        other = self._entries.setdefault(entry.spark, entry)
        if other is not entry:
            raise ValueError(
                f"Spark's {entry.spark} is registered twice: {entry.name} and {other.name}"
            )

    def entries(self) -> Mapping[str, E]:
        """All entries by Spark class; imports every module of the package once."""
        if not self._complete:
            package = importlib.import_module(self._package)
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{self._package}.{module.name}")
            self._complete = True
        return self._entries
