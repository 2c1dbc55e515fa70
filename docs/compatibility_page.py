"""docs/compatibility.md: what "equal to Spark" means, counted and listed from the registries."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from broadhead.levels import LEVELS, Level, weakest
from broadhead.plan.decode import snake_case
from sql_files import parse
from sql_runs import FILES

_PROMISES: dict[Level, str] = {
    "exact": "The same rows and types, to the last byte: nulls, NaN, -0.0, overflow, time zones."
    " Where Spark raises an error, Spark's own error. This is the default.",
    "last digits": "Floats may differ in their last digits. A function of one row is within 2 ulp"
    " of Spark's (units of the last digit), `tanh` and `log` with a base within 3. A sum, mean or"
    " moment depends on the order in which values are added, as it does in Spark from run"
    " to run: within 1e-12, relative to the values that are added.",
    "any order": "One of the answers that Spark itself may give. Spark's documentation calls these"
    " non-deterministic: which of several rows is taken, or in which order rows with equal keys"
    " come.",
    "documented difference": "Another answer than Spark's, named [below](#documented-differences)"
    " with an example.",
}

_HEAD = """\
# Equal to Spark

Each function, aggregate, window function and operator has a **level**, which says how equal its
results are to Spark's. This page is generated from the code by `make docs`.

{promises}

The order of rows without `ORDER BY` is promised by nobody, and which of several equal values stands
for a group (`0.0` or `-0.0`, `a` or `A` of a collation) is any of them.

**What stays in "any order".** The rows of one task keep their order, as in Spark. So a sort before
`dropDuplicates` in one task does what it does in Spark. After a shuffle neither keeps an order.
On a GPU a task that ends in a shuffle reads files in the order of their names, Spark by the sizes
of their splits: `first` of a table without an order may be of another row.
Aggregates that Spark's code computes, such as `histogram_numeric` and `hll_union_agg`, take the
rows of a group in the order in which they come; on a GPU, joins and aggregates give another one.
`monotonically_increasing_id()` and random values with a seed follow from the position of a row:
they are Spark's own above scans, and above other operators other ids, each once, and other values.

**How to ask for more.** With `spark.broadhead.exact=true`, everything that is not exact is left to
Spark: such a function is evaluated by Spark's code or leaves its operator to Spark, and `explain()`
gives the reason. It can be set between two queries. Without it, `explain()` shows the level of an
operator and of its functions where it is not exact:

```text
BroadheadSort (any order)
+- BroadheadHashAggregate (any order: first; last digits: avg)
```

Expressions that Spark evaluates in a fragment, and the user's Python functions, have Spark's
results, but for the [order of a dict](#documented-differences).
"""

_DIFFERENCES_HEAD = """\
## Documented differences

With `spark.broadhead.exact=true`, Spark reads these files and calls these functions itself.
"""


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference that has a name, and an example of it."""

    name: str
    text: str
    example: str


DIFFERENCES = (
    Difference(
        "Encodings that Spark does not read",
        "Spark ends a query of such a Parquet file with an error. Broadhead gives its rows.",
        'pq.write_table(t, "f.parquet", compression="brotli")\n'
        'pq.write_table(t, "g.parquet", use_dictionary=False, '
        'column_encoding={"x": "BYTE_STREAM_SPLIT"})\n'
        'spark.read.parquet("f.parquet", "g.parquet").count()  # Spark: an error',
    ),
    Difference(
        "Files without columns",
        "Spark does not read a Parquet file without columns. Broadhead counts its rows.",
        'spark.read.schema("a int").parquet("no_columns.parquet").count()  # Spark: an error',
    ),
    Difference(
        "-0.0 in a filter",
        "A filter for `0.0` also finds the rows of a Parquet row group that contains only `-0.0`."
        " Spark's reader skips that row group.",
        "SELECT * FROM t WHERE x = 0.0  -- x is -0.0 in all rows: Spark gives none of them",
    ),
    Difference(
        "The order of a dict",
        "A dict that a `udf` or a `udtf` gets has the order of its map's entries, and a map that it"
        " returns has the order of the dict. Spark passes both through hash maps of Java.",
        't.select(udf(lambda m: str(list(m)))(F.expr("map(3, n, 2, n)")))  # [3, 2]; Spark: [2, 3]',
    ),
)

_KINDS = {
    "expressions": "functions",
    "aggregates": "aggregates",
    "windows": "window functions",
}


def compatibility_page(capabilities: dict[str, Any]) -> str:
    """Give docs/compatibility.md."""
    promises = ["| level | what you can rely on |", "|---|---|"]
    promises += [f"| {level} | {_PROMISES[level]} |" for level in LEVELS]
    parts = [
        _HEAD.format(promises="\n".join(promises)),
        "## Entries by level\n",
        _counts(capabilities),
    ]
    for level in LEVELS[1:-1]:
        parts += [f"## {level.capitalize()}\n", _entries(capabilities, level)]
    parts.append(_DIFFERENCES_HEAD)
    for difference in DIFFERENCES:
        language = "sql" if difference.example.startswith("SELECT") else "python"
        example = f"```{language}\n{difference.example}\n```\n"
        parts.append(f"**{difference.name}.** {difference.text}\n\n{example}")
    return "\n".join(parts)


def queries_by_level(capabilities: dict[str, Any]) -> Counter[Level]:
    """Give the number of queries in `.sql` files, by the weakest level of what a file is about."""
    entries = {spark: entry for kind in _KINDS for spark, entry in capabilities[kind].items()}
    levels = {_file_name(spark): _level(entry) for spark, entry in entries.items()}
    levels |= {snake_case(name): level for name, level in capabilities["operators"].items()}
    counts: Counter[Level] = Counter()
    for path in FILES:
        file = parse(path)
        about = [path.stem, *map(_file_name, file.covers)]
        counts[weakest(levels[name] for name in about if name in levels)] += len(file.queries)
    return counts


def _file_name(spark: str) -> str:
    return snake_case(spark.replace("NaN", "Nan").replace(".", "_"))


def _level(entry: dict[str, Any]) -> Level:
    level: Level = entry.get("level", "exact")
    return level


def _counts(capabilities: dict[str, Any]) -> str:
    columns: list[Counter[Level]] = [
        Counter(map(_level, capabilities[kind].values())) for kind in _KINDS
    ]
    columns.append(Counter(capabilities["operators"].values()))
    columns.append(Counter({"documented difference": len(DIFFERENCES)}))
    columns.append(queries_by_level(capabilities))
    heads = [*_KINDS.values(), "operators", "others", "queries of the tests"]
    rows = [f"| level | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    rows += [f"| {level} | {' | '.join(str(c[level]) for c in columns)} |" for level in LEVELS]
    return (
        "\n".join(rows)
        + "\n\nAn entry counts with its weakest level: `sum` is exact but for floats. A query of"
        " the tests counts with the weakest level of the functions that its file is about, and is"
        " compared by the levels in its plan.\n"
    )


def _entries(capabilities: dict[str, Any], level: Level) -> str:
    lines = []
    for kind, title in _KINDS.items():
        members = capabilities[kind].items()
        names = sorted(_named(entry, level) for _, entry in members if _level(entry) == level)
        lines += [f"- {title}: {', '.join(names)}"] if names else []
    operators = [f"`{name}`" for name, own in capabilities["operators"].items() if own == level]
    lines += [f"- operators: {', '.join(operators)}"] if operators else []
    return "\n".join(lines) + "\n"


def _named(entry: dict[str, Any], level: Level) -> str:
    """The name, with the types for which it has the level if others are exact."""
    levels = [(s.get("level", "exact"), s["args"][0]) for s in entry["signatures"] if s["args"]]
    if len({found for found, _ in levels}) <= 1:
        return f"`{entry['name']}`"
    types = [t for found, argument in levels if found == level for t in argument]
    return f"`{entry['name']}` of {', '.join(sorted(set(types)))}"
