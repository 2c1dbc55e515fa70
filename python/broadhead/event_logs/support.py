"""Whether Broadhead runs an operator of a plain Spark plan, judged by the plan's text.

The functions are those of capabilities.json, which the planner reads as well. A text has no types,
so a function counts as supported if it is for some types.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broadhead.event_logs.queries import PlanNode

_CAPABILITIES = Path(__file__).resolve().parent.parent / "capabilities.json"

# Spark's operators with an OperatorCase of the planner, by their names in plans.
OPERATORS = frozenset(
    {
        "ArrowAggregatePython", "ArrowEvalPython", "ArrowEvalPythonUDTF", "ArrowWindowPython",
        "BatchEvalPython", "BatchEvalPythonUDTF", "BroadcastExchange", "BroadcastHashJoin",
        "BroadcastNestedLoopJoin", "CartesianProduct", "Coalesce", "CollectLimit", "Exchange",
        "Expand", "Filter", "FlatMapCoGroupsInArrow", "FlatMapCoGroupsInPandas",
        "FlatMapGroupsInArrow", "FlatMapGroupsInPandas", "Generate", "GlobalLimit",
        "HashAggregate", "LocalLimit", "LocalTableScan", "MapInArrow", "MapInPandas",
        "ObjectHashAggregate", "Project", "Range", "Sample", "Scan", "ShuffledHashJoin", "Sort",
        "SortAggregate", "SortMergeJoin", "TakeOrderedAndProject", "Union", "Window",
        "WindowGroupLimit", "WriteFiles",
    }
)  # fmt: skip

# Formats of the files that scans read.
FORMATS = frozenset({"csv", "orc", "parquet", "text"})

# Names of Spark 3 for operators that later versions renamed, and the other name of scans.
_OTHER_NAMES = {
    "BatchScan": "Scan",
    "AggregateInPandas": "ArrowAggregatePython",
    "WindowInPandas": "ArrowWindowPython",
    "PythonMapInArrow": "MapInArrow",
}

_CALL = re.compile(r"(?<![\w.#`])([A-Za-z_]\w*)\(")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'")
_FORMAT = re.compile(r"^Scan (\w+)")
_BATCH_SCAN = re.compile(r"\b(?:IcebergScan\(|Format: (?:csv|orc|parquet|text)\b)")
_PREFIX = re.compile(r"^(?:partial|merge|finalmerge|final)_")
_PYTHON = re.compile(r"Python|Pandas|InArrow")

# Words before a parenthesis in plans that are no functions.
_STRUCTURE = frozenset(
    {
        "and", "array", "as", "bloom_filter_agg", "case", "cast", "catalogfileindex", "char",
        "currentrow", "decimal", "distinct", "dynamicpruning", "dynamicpruningexpression", "else",
        "end", "exists", "filter", "hashedrelationbroadcastmode", "hashpartitioning",
        "identitybroadcastmode", "in", "inmemoryfileindex", "input", "inset", "lambdafunction",
        "list", "map", "might_contain", "normalizenanandzero", "not", "or", "outer", "paths",
        "prunedinmemoryfileindex", "rangeframe", "rangepartitioning", "roundrobinpartitioning",
        "rowframe", "singlepartition", "specifiedwindowframe", "splits", "struct", "subquery",
        "then", "unknownpartitioning", "varchar", "when", "windowspecdefinition",
        # Spark 3 marked arguments with these.
        "ansi_cast", "checkoverflow", "decimaltype", "knownfloatingpointnormalized",
        "knownnotnull", "knownnullable", "promote_precision",
        # Filters that a scan hands to Parquet; the operator above repeats them as functions.
        "equalnullsafe", "equalto", "greaterthan", "greaterthanorequal", "isnotnull", "isnull",
        "lessthan", "lessthanorequal", "stringcontains", "stringendswith", "stringstartswith",
    }
)  # fmt: skip


@cache
def known_functions() -> frozenset[str]:
    """Give the names of supported functions in plans: SQL names and Spark's classes, lower case."""
    content = json.loads(_CAPABILITIES.read_text(encoding="utf-8"))
    names = set()
    for kind in ("expressions", "aggregates", "windows"):
        for spark_class, entry in content[kind].items():
            names |= {spark_class.lower(), entry["name"].lower()}
    return frozenset(names)


def operator_of(name: str) -> str:
    """Give Spark's name of an operator: `Scan` for `Scan parquet default.t`."""
    first = name.partition(" ")[0]
    return _OTHER_NAMES.get(first, first)


def reasons_of(node: PlanNode) -> list[str]:
    """Give why Broadhead would leave an operator to Spark; none if it would run it."""
    operator = operator_of(node.name)
    if operator == "Scan":
        return _scan_reasons(node)
    if operator not in OPERATORS:
        return [f"operator {node.name} is not supported"]
    if calls_python(node):
        return []
    return [f"function {name} is not supported" for name in unknown_functions(node.text)]


def calls_python(node: PlanNode) -> bool:
    """Say whether an operator calls the user's Python functions."""
    return _PYTHON.search(operator_of(node.name)) is not None


def unknown_functions(text: str) -> list[str]:
    """Give the functions in an operator's text that are not supported, each once."""
    found = dict.fromkeys(match[1] for match in _CALL.finditer(_QUOTED.sub("''", text)))
    names = {_PREFIX.sub("", name): None for name in found}
    return [
        name
        for name in names
        if name.lower() not in _STRUCTURE
        and name.lower() not in known_functions()
        and operator_of(name) not in OPERATORS
    ]


def _scan_reasons(node: PlanNode) -> list[str]:
    if node.name.startswith("BatchScan"):
        found = _BATCH_SCAN.search(node.text)
        return [] if found else [f"operator {node.name} is not supported"]
    form = _FORMAT.match(node.name)
    kind = form[1] if form else ""
    if kind == "OneRowRelation":
        return []
    if kind.lower() not in FORMATS:
        return [f"operator {node.name} is not supported: {kind or 'its'} files are not read"]
    return []
