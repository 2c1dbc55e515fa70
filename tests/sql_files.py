r"""Reader of the `.sql` files in tests/functions and tests/operators.

A file is a sequence of blocks with empty lines between them. Comments start with `--`. The first
line of a block says what it is, the lines after it are SQL:

    -- What is tested here.
    -- CONFIG spark.sql.session.timeZone=UTC|America/Los_Angeles

    table pairs
    SELECT * FROM VALUES (1, 2), (NULL, 3) AS t(a, b)

    query
    SELECT a + b, a + 1, 1 + 2 FROM pairs

    query error(ARITHMETIC_OVERFLOW)
    SELECT 2147483647 + a FROM pairs

`table NAME` makes a Parquet file of the rows of a query, which Spark alone answers;
tests/functions/tables.sql has tables that all files can read. After the name may stand:

- `partitioned(a, b)`: these columns come from the path
- `row_group(3)`: so many rows in a row group at most
- `append`: one more file for the table of an earlier block, perhaps with other columns

`query` must give the same rows and types with Broadhead as without, with every operator but
exchanges accelerated and no task replayed by Spark. After the word may stand, in any order:

- `tolerance=1e-9`: floats may differ by that, relative to their magnitude, where that is more than
  the levels of the functions allow (tests/leeway.py)
- `error(CONDITION)`: both fail with this error condition and the same message; `A|B` where versions
  of Spark differ
- `ansi_error(CONDITION)`: the same under ANSI; elsewhere rows come
- `fallback(reason)`: an operator stays with Spark, and this stands in a reason
- `spark(Sort Union)`: Spark runs these operators, and no others than these
- `replay`: the engine may hand a task to Spark
- `only(ansi)`, `only(legacy)`: left out in the other mode
- `since=4.0`, `until=3.5`: left out with an older Spark, or with a newer one
- `nightly`: left out by day, when queries beside it stand for what is special in it

`COVERS Class Class` names the Spark classes that a file tests, where they are not the file's own
name. `EACH join=MERGE|BROADCAST` makes a query with `{join}` in it one for each of the values; by
day it runs with two of them. `CONFIG key=value` sets a key of Spark; values with `|` between them
are taken by turns over the queries and the modes that a file is run in.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

_OPTION = re.compile(r"(\w+)(?:=(\S+)|\(([^()]*(?:\([^()]*\)[^()]*)*)\))?")
_COVERS = re.compile(r"--\s*COVERS\s+(.+)")
_WITH_TEXT = {"error", "ansi_error", "fallback", "spark"}
_EACH = re.compile(r"--\s*EACH\s+(\w+)=(\S+)\s*")
_CONFIG = re.compile(r"--\s*CONFIG\s+(\S+?)=(\S+)\s*")


@dataclass(frozen=True, slots=True)
class Table:
    """The rows that a query gives, and how they are laid out in Parquet."""

    name: str
    sql: str
    partitioned: tuple[str, ...] = ()
    row_group: int | None = None
    append: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A query and what is expected of it. `line` is where it stands in its file.

    Of a `template` with a value for each of its `variants`, this is the one of number `variant`.
    """

    sql: str
    line: int
    tolerance: float = 0.0
    error: str | None = None
    ansi_error: str | None = None
    fallback: str | None = None
    spark: str = ""
    replay: bool = False
    only: str | None = None
    since: str | None = None
    until: str | None = None
    nightly: bool = False
    template: str = ""
    variant: int = 0
    variants: int = 1

    def runs(self, *, ansi: bool) -> bool:
        """Whether the query belongs to the mode."""
        return self.only is None or self.only == ("ansi" if ansi else "legacy")

    def is_of(self, spark: str) -> bool:
        """Whether a version of Spark, such as 4.1, is one of those that the query is for."""
        version = _numbers(spark)
        return (self.since is None or _numbers(self.since) <= version) and (
            self.until is None or version <= _numbers(self.until)
        )

    def condition(self, *, ansi: bool) -> str | None:
        """The error condition with which it fails in the mode."""
        return self.error or (self.ansi_error if ansi else None)


@dataclass(frozen=True, slots=True)
class SqlFile:
    """A parsed file."""

    path: Path
    tables: list[Table] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)
    config: dict[str, list[str]] = field(default_factory=dict)
    covers: list[str] = field(default_factory=list)
    each: dict[str, list[str]] = field(default_factory=dict)

    def configurations(self) -> list[dict[str, str]]:
        """Every combination of the header's values."""
        return [
            dict(zip(self.config, values, strict=True))
            for values in itertools.product(*self.config.values())
        ]


class SqlFileError(ValueError):
    """A file that does not follow the format; the message says where and why."""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def parse(path: Path) -> SqlFile:
    """The blocks of a file."""
    parsed = SqlFile(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    for line in lines:
        if match := _CONFIG.fullmatch(line):
            parsed.config[match[1]] = match[2].split("|")
        elif match := _EACH.fullmatch(line):
            parsed.each[match[1]] = match[2].split("|")
        elif match := _COVERS.fullmatch(line):
            parsed.covers.extend(match[1].split())
    for first, block in _blocks(lines):
        word, _, rest = block[0].partition(" ")
        sql = "\n".join(block[1:])
        where = f"{path}, line {first}"
        if not sql:
            raise SqlFileError(f"{where}: the block has no SQL")
        if word == "table":
            known = {table.name for table in parsed.tables}
            parsed.tables.append(_table(sql, rest, known, where))
        elif word == "query":
            parsed.queries.extend(_variants(_query(sql, first, rest, where), parsed.each))
        else:
            raise SqlFileError(f"{where}: a block starts with 'table' or 'query', not {word!r}")
    return parsed


def _blocks(lines: list[str]) -> list[tuple[int, list[str]]]:
    """Number of the first line, and the lines that are no comments, of each block."""
    blocks: list[tuple[int, list[str]]] = []
    open_ = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            open_ = False
        elif not line.startswith("--"):
            if not open_:
                blocks.append((number, []))
                open_ = True
            blocks[-1][1].append(line)
    return blocks


def _table(sql: str, header: str, known: set[str], where: str) -> Table:
    name, _, options = header.partition(" ")
    found: dict[str, object] = {}
    for match in _OPTION.finditer(options):
        option, value = match[1], match[3]
        if option == "append" and match[0] == option:
            found[option] = True
        elif option == "partitioned" and value:
            found[option] = tuple(value.replace(",", " ").split())
        elif option == "row_group" and value:
            found[option] = int(value)
        else:
            raise SqlFileError(f"{where}: {match[0]!r} is not an option of a table")
    if not name.isidentifier() or (name in known) != ("append" in found):
        raise SqlFileError(f"{where}: {name!r} is not a new table name")
    return Table(name, sql, **found)  # type: ignore[arg-type]


def _variants(query: Query, each: dict[str, list[str]]) -> list[Query]:
    """The query with every value of the name that stands in it; the query itself without one."""
    for name, values in each.items():
        if (placeholder := f"{{{name}}}") in query.sql:
            return [
                replace(
                    query,
                    sql=query.sql.replace(placeholder, value),
                    template=query.sql,
                    variant=number,
                    variants=len(values),
                )
                for number, value in enumerate(values)
            ]
    return [query]


def _query(sql: str, line: int, options: str, where: str) -> Query:
    found: dict[str, object] = {}
    for match in _OPTION.finditer(options):
        name, value = match[1], match[2] or match[3]
        if name == "tolerance" and value:
            found[name] = float(value)
        elif name in {"since", "until"} and value:
            found[name] = value
        elif name in {"replay", "nightly"} and value is None:
            found[name] = True
        elif value and (name in _WITH_TEXT or (name == "only" and value in {"ansi", "legacy"})):
            found[name] = value
        else:
            raise SqlFileError(f"{where}: {match[0]!r} is not an option of a query")
    return Query(sql, line, **found)  # type: ignore[arg-type]
