"""The benchmark of SQL functions has a query for each name that is computed by columns."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
CONSTANT = {
    "collation", "curdate", "current_catalog", "current_database", "current_date", "current_schema",
    "current_timestamp", "current_timezone", "current_user", "e", "localtimestamp", "now", "pi",
    "session_user", "typeof", "user", "version",
}  # fmt: skip
"""Names that Spark replaces by a constant."""
OF_CONTAINERS = {"cardinality", "get", "size"}
"""Names that take arrays and maps, of which the table has none."""

CPU, GPU = "cpu*-sql-functions*.json", "h*-sql-functions*.json"
"""What docs/function-times.md is made of: benchmarks/README.md has the commands."""


def test_a_query_for_every_name() -> None:
    kinds = tomllib.loads((REPOSITORY / "benchmarks" / "sql_functions.toml").read_text("utf-8"))
    names = json.loads((REPOSITORY / "docs" / "function_names.json").read_text("utf-8"))
    computed = {name for name, entry in names.items() if entry["where"] in {"engine", "partly"}}
    assert computed.difference(*kinds.values()) == CONSTANT | OF_CONTAINERS


def test_the_page_of_times_is_of_the_kept_results() -> None:
    command = [sys.executable, str(REPOSITORY / "benchmarks" / "function_table.py")]
    results = REPOSITORY / "benchmarks" / "results"
    command += [*map(str, results.glob(CPU)), "--gpu", *map(str, results.glob(GPU))]
    written = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert written == (REPOSITORY / "docs" / "function-times.md").read_text("utf-8")
