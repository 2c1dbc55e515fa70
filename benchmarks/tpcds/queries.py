"""The queries of TPC-DS: their names, their texts, and the order of rows that a text asks for."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.demo.data import DataError
from tpcds.maven import SPARK_TESTS, fetch

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_LAST = 99
_IN_TWO_PARTS = frozenset({14, 23, 24, 39})

NAMES = tuple(
    f"q{number}{part}"
    for number in range(1, _LAST + 1)
    for part in ("ab" if number in _IN_TWO_PARTS else [""])
)
"""The 103 texts, named as Spark's files are: four queries have two parts."""

_ORDER_BY = re.compile(r"\border\s+by\b", re.IGNORECASE)
_LIMIT = re.compile(r"\blimit\s+(\d+)\s*;?\s*$", re.IGNORECASE)
_DIRECTION = re.compile(r"\s+(asc|desc)?(\s+nulls\s+(first|last))?\s*$", re.IGNORECASE)
_COMMA = re.compile(r",(?![^(]*\))")


def parse_names(text: str) -> tuple[str, ...]:
    """Names of a list such as ``3,14a`` or ``1-5,q72``, without repeats; 14 is 14a and 14b."""
    names: dict[str, None] = {}
    for part in filter(None, (piece.strip().lower() for piece in text.split(","))):
        first, dash, last = part.partition("-")
        if dash and first.isdigit() and last.isdigit():
            found = [name for n in range(int(first), int(last) + 1) for name in _named(str(n))]
        else:
            found = _named(part.removeprefix("q"))
        if not found:
            raise ValueError(f"there is no TPC-DS query '{part}': write for example 3,14a or 1-5")
        names.update(dict.fromkeys(found))
    if not names:
        raise ValueError("no query chosen: write for example 3,14a or 1-5")
    return tuple(names)


def _named(number: str) -> list[str]:
    """The text of this number, or both parts of a query that has two."""
    return [name for name in NAMES if f"q{number}" in {name, name.rstrip("ab")}]


def load_texts(folder: Path, names: Sequence[str]) -> dict[str, str]:
    """The texts by name, from the jar of Spark's tests, which is fetched to `folder`."""
    path = fetch(SPARK_TESTS, folder)
    with zipfile.ZipFile(path) as jar:
        try:
            return {name: jar.read(f"tpcds/{name}.sql").decode() for name in names}
        except KeyError as error:
            raise DataError(f"{path} has no such query: {error.args[0]}") from error


@dataclass(frozen=True)
class Order:
    """How far ORDER BY decides the order of the rows, as `difference` needs it."""

    order_by: tuple[str, ...]
    limit: int | None


def order_of(text: str, columns: Sequence[str]) -> Order:
    """The order that `text` asks for, as far as it is by columns of the result.

    TPC-DS also orders by expressions and by columns that have the name of another. From the first
    of these on, the order is not compared. Then the last tie of a LIMIT is unknown too, so all rows
    are compared: expressions such as a difference of sums hardly tie.
    """
    expressions, limit = _outer_order(text)
    keys: list[str] = []
    for expression in expressions:
        column = _column(expression, columns)
        if column is None:
            return Order(tuple(keys), None)
        keys.append(column)
    return Order(tuple(keys), limit)


def _outer_order(text: str) -> tuple[list[str], int | None]:
    """The expressions of the outermost ORDER BY, and the number of rows of LIMIT."""
    found = _LIMIT.search(text)
    limit = int(found[1]) if found else None
    before = text[: found.start()] if found else text
    last = max(_ORDER_BY.finditer(before), key=re.Match.start, default=None)
    if last is None:
        return [], limit
    tail = before[last.end() :].strip().rstrip(";")
    # An ORDER BY of a window or of a subquery: its parenthesis closes after it.
    if tail.count(")") > tail.count("("):
        return [], limit
    return [_DIRECTION.sub("", item + " ").strip() for item in _COMMA.split(tail)], limit


def _column(expression: str, columns: Sequence[str]) -> str | None:
    """The one column of the result that the expression is, if there is one."""
    if expression.isdigit():
        name = columns[int(expression) - 1]
        return name if columns.count(name) == 1 else None
    plain = _plain(expression)
    last = plain.rpartition(".")[2]
    found = [name for name in columns if _plain(name) in {plain, last}]
    return found[0] if len(found) == 1 else None


def _plain(expression: str) -> str:
    return re.sub(r"\s", "", expression).lower()
