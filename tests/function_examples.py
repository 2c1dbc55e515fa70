"""The examples in Spark's own documentation of its functions, and where Broadhead computes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from broadhead.explanation import explain
from sql_runs import NO_FOLDING
from sql_sessions import configured

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

ENGINE = "engine"
"""Computed by columns."""
PARTLY = "partly"
"""Computed by columns in some of the examples."""
EVALUATED = "evaluated"
"""Evaluated by Spark's code for the fragment."""
SPARK = "spark"
"""The operator stays with Spark."""

ONE_ROW = "one_row"
CONFIGURATION = {
    "spark.broadhead.costModel.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.optimizer.excludedRules": f"{NO_FOLDING},org.apache.spark.sql.catalyst.optimizer."
    "OptimizeOneRowPlan",
}
OWN = ("broadhead_explain", "broadhead_profile")
"""Functions that Broadhead itself registers."""
WITHOUT_EXAMPLES = {
    "!=": "SELECT 1 != id",
    "<>": "SELECT 1 <> id",
    "||": "SELECT 'a' || CAST(id AS STRING)",
    "case": "SELECT CASE WHEN id = 1 THEN 'a' ELSE 'b' END",
    "time": "SELECT time('12:34:56')",
} | {
    name: f"SELECT {name}(id)"
    for name in ("bigint", "boolean", "decimal", "double", "float", "int", "smallint", "string",
                 "tinyint")
} | {
    "binary": "SELECT binary(CAST(id AS STRING))",
    "date": "SELECT date('2024-01-01')",
    "timestamp": "SELECT timestamp('2024-01-01 00:00:00')",
}  # fmt: skip
"""Queries for the names whose documentation has none."""
MORE = {
    "assert_true": "SELECT assert_true(id < 9) IS NULL",
    "date_format": "SELECT date_format(timestamp_seconds(id), 'yyyy-MM-dd')",
    "hash": "SELECT hash('Spark', id)",
    "ifnull": "SELECT ifnull(NULL, id)",
    "nvl": "SELECT nvl(NULL, id)",
    "raise_error": "SELECT if(id < 9, id, raise_error('custom error message'))",
    "size": "SELECT size(numbers)",
    "ilike": "SELECT ilike(CAST(id AS STRING), 'A%')",
    "cardinality": "SELECT cardinality(numbers)",
}
"""Queries for the names whose documentation shows rare arguments alone."""
FOLDED = {"e", "ilike", "pi", "typeof", "version"}
"""Names that are constants to Spark whatever their arguments, or that make a constant of one."""
_ROWS = {"LocalTableScan", "Range", "Exchange", "AQEShuffleRead", "Scan OneRowRelation"}
"""Operators of the examples' own rows, and those between accelerated ones."""
_BY_SPARK = "Spark evaluates an expression"


def examples(session: SparkSession) -> dict[str, list[str]]:
    """The queries in the documentation of each name that Spark registers."""
    catalog = session._jsparkSession.sessionState().catalog()
    identifier = session._jvm.org.apache.spark.sql.catalyst.FunctionIdentifier
    found = {}
    for (name,) in session.sql("SHOW SYSTEM FUNCTIONS").collect():
        text = catalog.lookupFunctionInfo(identifier(name)).getExamples()
        queries = list(_queries(text.replace("_FUNC_", name)))
        if name not in OWN:
            found[name] = queries or [WITHOUT_EXAMPLES[name]]
        if name in MORE:
            found[name].append(MORE[name])
    return {name: list(map(_over_columns, queries)) for name, queries in found.items()}


def _queries(text: str) -> list[str]:
    """The queries after `>`, each up to its semicolon; without settings."""
    found = re.findall(r"^\s*> (.*?);\s*$", text, re.MULTILINE | re.DOTALL)
    return [query for query in found if not query.startswith("SET ")]


def _over_columns(query: str) -> str:
    """The query over a row that is read, where it has no rows of its own."""
    plain = re.sub(r"'(?:[^'\\]|\\.)*'|\b(?:extract|overlay|trim|substr|substring)\(.*", "", query,
                   flags=re.IGNORECASE)  # fmt: skip
    has_rows = re.search(r"\bFROM\b", plain, re.IGNORECASE) or "FROM VALUES" in query
    if has_rows or not re.match(r"\s*SELECT\b", query, re.IGNORECASE):
        return query
    return f"{query} FROM {ONE_ROW}"


def make_one_row(session: SparkSession, folder: Path) -> None:
    """The view that the examples read."""
    path = str(folder / ONE_ROW)
    session.range(1).selectExpr("id", "array(1, id) AS numbers").write.parquet(path)
    session.read.parquet(path).createOrReplaceTempView(ONE_ROW)


def place_of(frame: DataFrame) -> tuple[str, str]:
    """Where a frame is computed, and why not by columns."""
    explanation = explain(frame)
    left = [node for node in explanation.nodes if not node.accelerated and node.name not in _ROWS]
    reasons = [reason for node in explanation.nodes for reason in node.reasons]
    functions = [text for node in explanation.nodes for text in node.functions]
    by_spark = [text for text in functions if _BY_SPARK in text]
    if left or not explanation.accelerated:
        return SPARK, next(iter(reasons), "no operator of the plan is accelerated")
    return (EVALUATED, by_spark[0]) if by_spark else (ENGINE, "")


def place_of_name(session: SparkSession, name: str, queries: list[str]) -> tuple[str, str]:
    """Where the examples of a name are computed: the same for all, or `PARTLY`."""
    if name in FOLDED:
        with configured(session, {"spark.sql.optimizer.excludedRules": ""}):
            return combined([_place_of_query(session, query) for query in queries])
    place = combined([_place_of_query(session, query) for query in queries])
    if place[0] == SPARK:
        # The code that Spark evaluates for a fragment reads columns of it.
        reading = (variant for query in queries for variant in _reading_columns(query))
        if any(_place_of_query(session, query)[0] == EVALUATED for query in reading):
            return EVALUATED, place[1]
    return place


def _place_of_query(session: SparkSession, query: str) -> tuple[str, str]:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        return place_of(session.sql(query))
    except (PySparkException, Py4JError) as error:
        return SPARK, f"Spark: {getattr(error, 'getCondition', lambda: None)() or 'no plan'}"


def _reading_columns(query: str) -> list[str]:
    """The query with a column in the place of one of its first literals."""
    if not query.endswith(f" FROM {ONE_ROW}"):
        return []
    literals = list(re.finditer(r"'(?:[^'\\]|\\.)*'|(?<![\w.'])\d+(?![\w.'])", query))
    return [
        f"{query[: found.start()]}IF(id < 9, {found[0]}, NULL){query[found.end() :]}"
        for found in literals[:3]
    ]


def combined(places: list[tuple[str, str]]) -> tuple[str, str]:
    """The place of a name whose examples have these."""
    kinds = {kind for kind, _ in places}
    reason = next((reason for _, reason in places if reason), "")
    if ENGINE in kinds:
        return (ENGINE, "") if len(kinds) == 1 else (PARTLY, reason)
    return (EVALUATED if EVALUATED in kinds else SPARK), reason


def places(session: SparkSession) -> dict[str, dict[str, str]]:
    """Where each name that Spark registers is computed, why not by columns, and an example."""
    found = {}
    for name, queries in examples(session).items():
        place, reason = place_of_name(session, name, queries)
        found[name] = {"where": place, "example": _shortest(queries)}
        if reason:
            found[name]["reason"] = _constant(reason)
    return found


def _shortest(queries: list[str]) -> str:
    """One of a name's examples, on one line and as the documentation has it."""
    plain = (query.removesuffix(f" FROM {ONE_ROW}") for query in queries)
    return min((re.sub(r"\s+", " ", query) for query in plain), key=len)


def _constant(reason: str) -> str:
    """The reason without what differs between runs."""
    return re.sub(r"#\d+", "", reason.removeprefix(f"{_BY_SPARK}: "))
