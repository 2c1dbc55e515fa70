"""The result files of Spark's SQLQueryTestSuite, and how two of them differ."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NUMBER = re.compile(r"-?\d+\.\d+(?:[eE][-+]?\d+)?")
DIGITS = 1e-12
"""The relative difference of floating-point sums whose values are added in another order."""


@dataclass(frozen=True, slots=True)
class Result:
    """A statement, the schema of its rows, and its rows or error as the suite writes them."""

    statement: str
    schema: str
    output: str

    def is_same(self, other: Result) -> bool:
        """Whether all is equal but for the last digits of floating-point numbers."""
        if (self.statement, self.schema) != (other.statement, other.schema):
            return False
        return self.output == other.output or (
            _is_inexact(self.schema) and _same_numbers(self.output, other.output)
        )


def read_results(path: Path) -> list[Result]:
    """The statements of a file in their order."""
    return list(_results(path.read_text(encoding="utf-8")))


def _results(text: str) -> Iterator[Result]:
    for block in text.split("-- !query\n")[1:]:
        statement, _, rest = block.partition("-- !query schema\n")
        schema, _, output = rest.partition("-- !query output\n")
        yield Result(statement.strip(), schema.strip(), output.rstrip("\n"))


def _is_inexact(schema: str) -> bool:
    return "double" in schema or "float" in schema


def _same_numbers(left: str, right: str) -> bool:
    if NUMBER.sub("#", left) != NUMBER.sub("#", right):
        return False
    pairs = zip(NUMBER.findall(left), NUMBER.findall(right), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=DIGITS) for a, b in pairs)
