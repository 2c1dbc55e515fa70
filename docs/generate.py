"""Writes the pages and files that are generated from code. Run it with `make docs`.

functions.md and compatibility.md are generated from capabilities.json, which has the registered
functions and operators with their levels;
configuration.md from the keys in the plugin's jar; conf/ from the templates of `broadhead conf`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

from compatibility_page import compatibility_page

from broadhead.functions.registry import functions
from broadhead.jar import find_jar, find_java, find_spark
from broadhead.platforms.registry import platforms
from broadhead.platforms.rendering import files, write

DOCS = Path(__file__).parent
CONF = DOCS.parent / "conf"
NAMES = DOCS / "function_names.json"
CAPABILITIES = DOCS.parent / "python" / "broadhead" / "capabilities.json"
SETTINGS_CLASS = "io.broadhead.Settings"

_FUNCTIONS_HEAD = """\
# Functions and aggregates

The functions, aggregates and window functions that Broadhead computes by columns, with ANSI on and
off. [Equal to Spark](compatibility.md) says what each level promises.
`spark.broadhead.function.<name>.enabled=false` switches a function off.

Other functions are evaluated by Spark's own code: the operator stays in the fragment, and only the
columns that such an expression reads go to the JVM and its values come back. `explain()` shows it.
So also for functions of the user in Scala, Java or Hive, and for aggregates whose buffer is an
object (`histogram_numeric`, sketches, users' own): the engine groups the rows, and Spark's code
computes the buffers of the groups. Window functions that are not listed, such aggregates with
`DISTINCT` or over other frames than whole partitions, and expressions with subqueries leave their
operator to Spark. `spark.broadhead.sparkExpressions.enabled=false` leaves the others to it as well.

`rand`, `randn`, `uniform`, `randstr`, `uuid` and `monotonically_increasing_id` have Spark's own
values, which follow from a row's position in its partition. They are computed by columns where the
engine has the rows in Spark's order: above a scan of files or a range, with filters and
projections between, and outside of branches. Elsewhere their operator stays with Spark.

The elementary functions (`exp`, `ln`, `pow`, `sin` ...) have the level "last digits": they are
numpy's on the CPU, and those of libcudf on a GPU. Spark's own depend on the JVM and the processor.

This page is generated from the code by `make docs`.
"""

_CONFIGURATION_HEAD = """\
# Configuration

The configuration keys of Broadhead. Set them like Spark's own keys: with `--conf`, in
`spark-defaults.conf` or on the session builder. Keys marked "each query" can also be set between
two queries, with `SET` or `spark.conf.set`. An invalid value is an error that names the key and the
allowed values.

This page is generated from the code by `make docs`.
"""


def functions_page(capabilities: dict[str, Any]) -> str:
    """Give docs/functions.md."""
    parts = [_FUNCTIONS_HEAD]
    parts += [
        f"Types: {_code(capabilities['types'])}. Columns of {_code(capabilities['passThrough'])}"
    ]
    parts[-1] += (
        " are read and passed on. Arrays and structs that contain no map can be keys of"
        " groups, joins, sorts, windows and shuffles. The tables below list the functions that"
        " take them. The prefix `collated_` stands for strings with a collation other than"
        " `UTF8_BINARY`, and for nested types that contain such strings.\n"
    )
    homes = {spark: entry.evaluate.__module__ for spark, entry in functions().items()}
    by_home = sorted(capabilities["expressions"].items(), key=lambda item: homes[item[0]])
    for home, members in groupby(by_home, key=lambda item: homes[item[0]]):
        parts.append(f"## {_title(home)}\n")
        parts.append(_function_table(dict(members), note_heads=()))
    parts.append("## Aggregates\n")
    parts.append(_function_table(capabilities["aggregates"], note_heads=("filter",)))
    parts.append("## Window functions\n")
    parts.append(_frames(capabilities["aggregates"]))
    parts.append(_function_table(capabilities["windows"], note_heads=()))
    parts.append(_names_section(json.loads(NAMES.read_text(encoding="utf-8"))))
    return "\n".join(parts)


def _frames(aggregates: dict[str, Any]) -> str:
    """Say which aggregates are window functions over which frames."""
    whole = [entry["name"] for entry in aggregates.values() if not entry.get("frames", True)]
    return (
        "Every aggregate is also a window function. These stay with Spark over other frames than"
        f" whole partitions: {_code(sorted(whole))}.\n"
    )


_WHERE = {
    "engine": "by columns",
    "partly": "by columns, some calls not",
    "evaluated": "evaluated by Spark in the fragment",
    "spark": "stays with Spark",
}


def _names_section(names: dict[str, dict[str, str]]) -> str:
    """Give the table of the names that Spark registers."""
    counts = dict.fromkeys(_WHERE, 0)
    rows = ["| name | where | why not by columns | example |", "|---|---|---|---|"]
    for name, entry in sorted(names.items()):
        counts[entry["where"]] += 1
        example = (
            f"`` {entry['example']} ``" if "`" in entry["example"] else f"`{entry['example']}`"
        )
        cells = [f"`{name}`", _WHERE[entry["where"]], entry.get("reason", ""), example]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    summary = ", ".join(f"{count} {_WHERE[where]}" for where, count in counts.items())
    return (
        "## Every name of Spark\n\n"
        "The names that Spark 4.1 registers, operators included, and where the examples of Spark's"
        ' own documentation are computed. "By columns" is on both kernels: where libcudf has no'
        " step, its columns are copied to the host for that step. Spark rewrites some names to"
        " other functions, so they are not in the tables above. The tests run all examples of the"
        f" names that are computed by columns. Of {len(names)} names: {summary}.\n\n"
        + "\n".join(rows)
        + "\n"
    )


def _title(module: str) -> str:
    return module.rsplit(".", 1)[-1].replace("_", " ").capitalize()


def _code(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _function_table(members: dict[str, Any], note_heads: tuple[str, ...]) -> str:
    rows = ["| in SQL | in Spark | takes | level | note |", "|---|---|---|---|---|"]
    for spark, entry in sorted(members.items(), key=lambda item: (item[1]["name"], item[0])):
        notes = [f"no `{head.upper()}`" for head in note_heads if not entry[head]]
        notes += [entry["note"]] if entry.get("note") else []
        takes = "; ".join(dict.fromkeys(_takes(s) for s in entry["signatures"]))
        cells = [
            f"`{entry['name']}`",
            f"`{spark}`",
            takes,
            entry.get("level", "exact"),
            "; ".join(notes),
        ]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows) + "\n"


_GROUPS = {
    "integers": {"byte", "short", "integer", "long"},
    "floats": {"float", "double"},
    "decimals": {"decimal"},
    "timestamps": {"timestamp", "timestamp_ntz"},
}


def _takes(signature: dict[str, Any]) -> str:
    """Give the arguments of a signature in words."""
    every = {"boolean", "string", "binary", "date"}.union(*_GROUPS.values())
    words = []
    for position, argument in enumerate(signature["args"]):
        if argument == "same":
            word = "the same"
        elif every <= set(argument):
            word = "any" if "collated_string" in argument else "any but `collated_`"
        else:
            word = _types_in_words(set(argument))
        if position in signature.get("literal", []):
            word = f"{word} literal" if word != "any" else "literal"
        words.append(word)
    taken = ", ".join(words) + (" ..." if signature.get("variadic") else "") or "nothing"
    return f"{taken} (since Spark {signature['since']})" if "since" in signature else taken


def _types_in_words(types: set[str]) -> str:
    words = []
    left = types - {"void"}
    for name, members in _GROUPS.items():
        if members <= left:
            words.append(name)
            left -= members
    return " or ".join([*words, *sorted(left)]) or "null"


def configuration_page(settings: list[dict[str, Any]]) -> str:
    """Give docs/configuration.md."""
    parts = [_CONFIGURATION_HEAD]
    for category, members in groupby(
        sorted(settings, key=lambda setting: _category_order(settings, setting)),
        key=lambda setting: setting["category"],
    ):
        parts.append(f"## {category}\n")
        rows = ["| key | default | meaning | when |", "|---|---|---|---|"]
        for setting in members:
            when = "start only" if setting["startOnly"] else "each query"
            allowed = "" if setting["type"] == "boolean" else f" Allowed: {setting['allowed']}."
            meaning = setting["doc"] + allowed
            cells = [f"`{setting['key']}`", f"`{setting['default']}`", meaning, when]
            rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        parts.append("\n".join(rows) + "\n")
    return "\n".join(parts)


def _category_order(settings: list[dict[str, Any]], setting: dict[str, Any]) -> int:
    return [other["category"] for other in settings].index(setting["category"])


def read_settings() -> list[dict[str, Any]]:
    """Give the keys that the jar knows."""
    spark = find_spark()
    class_path = f"{find_jar(spark).path}:{spark.home / 'jars'}/*"
    java, _ = find_java()
    printed = subprocess.run(
        [str(java), "-cp", class_path, SETTINGS_CLASS],
        capture_output=True,
        text=True,
        check=True,
    )
    settings: list[dict[str, Any]] = json.loads(printed.stdout)
    return settings


def pages() -> dict[Path, str]:
    """Give the pages and their text."""
    capabilities = json.loads(CAPABILITIES.read_text(encoding="utf-8"))
    return {
        DOCS / "functions.md": functions_page(capabilities),
        DOCS / "compatibility.md": compatibility_page(capabilities),
        DOCS / "configuration.md": configuration_page(read_settings()),
    }


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{path}\n")
    for name in platforms():
        write(files(name), CONF / name)
        sys.stdout.write(f"{CONF / name}\n")
