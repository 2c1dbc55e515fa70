"""Random expressions over random tables: Broadhead must answer as Spark does, rows or errors.

BROADHEAD_RANDOM_SEED chooses the data and the expressions, BROADHEAD_RANDOM_ROUNDS how many rounds
of about 25 expressions there are.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from broadhead.explanation import explain
from broadhead.functions.registry import functions
from random_expressions import UNREACHABLE, ExpressionGenerator, writable
from random_tables import RandomTable, edge_table, mild_table, schema, write
from sql_sessions import NO_FOLDING, Mismatch, compare, configured, replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark.answers import Answers

SEED = int(os.environ.get("BROADHEAD_RANDOM_SEED", "20260"))
ROUNDS = int(os.environ.get("BROADHEAD_RANDOM_ROUNDS", "12"))
ZONES = ("UTC", "America/Los_Angeles", "Europe/Paris", "+05:30", "Asia/Kolkata")
TABLES = (mild_table(), edge_table())
ROWS = 60
FILES = 3


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of query, and how one is written that holds several of the random texts."""

    name: str
    write: Callable[[Sequence[str]], str]
    tolerance: float = 0.0
    tasks: int = 1
    """Tasks that read; of several, any one may fail first and name its error."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a query gives: a table, or the condition of its error."""

    table: pa.Table | None
    error: str | None
    frame: DataFrame | None


class Comparison:
    """Asks Spark and Broadhead the same queries, and narrows differences down to one text."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self.tally: Counter[str] = Counter()
        self.problems: list[str] = []

    def check(self, shape: Shape, texts: Sequence[str], context: str) -> bool:
        """Whether the answers are equal; what is wrong, and with which text, goes to `problems`."""
        sql = shape.write(texts)
        expected = self._ask(sql, enabled=False)
        alone = len(texts) == 1
        if expected.error is not None and not alone:
            return self._halves(shape, texts, context)
        actual = self._ask(sql, enabled=True)
        difference = _difference(expected, actual, shape)
        if difference is None:
            if actual.frame is None:
                self.tally["errors"] += 1
            elif _is_accelerated(actual.frame):
                self.tally["replayed" if replayed(actual.frame) else "accelerated"] += len(texts)
            elif not alone:
                return self._halves(shape, texts, context)
            else:
                self.tally["left to Spark"] += 1
            return True
        if alone or self._halves(shape, texts, context):
            self.problems.append(f"{context}\n  {sql}\n  {difference}")
        return False

    def valid(self, shape: Shape, texts: Sequence[str]) -> list[str]:
        """The texts that Spark's analyzer takes, which has rules beyond types."""
        from pyspark.errors import AnalysisException

        found = []
        for text in texts:
            with suppress(AnalysisException):
                self._session.sql(shape.write([text]))
                found.append(text)
        self.tally["no valid SQL"] += len(texts) - len(found)
        return found

    def _halves(self, shape: Shape, texts: Sequence[str], context: str) -> bool:
        middle = len(texts) // 2
        parts = [self.check(shape, part, context) for part in (texts[:middle], texts[middle:])]
        return all(parts)

    def _ask(self, sql: str, *, enabled: bool) -> Outcome:
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException

        with configured(self._session, {"spark.broadhead.enabled": str(enabled).lower()}):
            try:
                frame = self._session.sql(sql)
                return Outcome(frame.toArrow(), None, frame)
            except PySparkException as error:
                condition = error.getCondition()
                return Outcome(None, condition or str(error).splitlines()[0], None)
            except Py4JJavaError as error:
                return Outcome(None, str(error.java_exception).splitlines()[0], None)


def _difference(expected: Outcome, actual: Outcome, shape: Shape) -> str | None:
    both_fail = expected.error is not None and actual.error is not None
    if expected.error != actual.error and not (both_fail and shape.tasks > 1):
        return f"{expected.error or 'rows'} from Spark, {actual.error or 'rows'} from Broadhead"
    if expected.table is None or actual.table is None:
        return None
    try:
        compare(expected.table, actual.table, shape.tolerance)
    except Mismatch as mismatch:
        return str(mismatch)
    return None


def _is_accelerated(frame: DataFrame) -> bool:
    nodes = explain(frame).nodes
    return all(node.accelerated or node.name in {"Exchange", "Union"} for node in nodes)


def projection(view: str) -> Shape:
    """Every text as a column, each row told by its number."""
    return Shape(
        "projection",
        lambda texts: "SELECT id, " + ", ".join(texts) + f" FROM {view}",
    )


def filter_(view: str) -> Shape:
    """Every text as the condition of one branch of a union."""
    return Shape(
        "filter",
        lambda texts: " UNION ALL ".join(
            f"SELECT id, {number} AS branch FROM {view} WHERE {text}"
            for number, text in enumerate(texts)
        ),
    )


def aggregation(view: str, keys: Sequence[str]) -> Shape:
    """Every text as an aggregate, grouped by the keys."""
    named = [f"k{number}" for number in range(len(keys))]
    computed = ", ".join(f"{key} AS {name}" for key, name in zip(keys, named, strict=True))
    source = f"(SELECT *, {computed} FROM {view})" if keys else view
    grouped = f" GROUP BY {', '.join(named)}" if keys else ""
    return Shape(
        "aggregation",
        lambda texts: f"SELECT {', '.join([*named, *texts])} FROM {source}{grouped}",
        tolerance=1e-9,
        tasks=FILES,
    )


def run_round(
    comparison: Comparison, generator: ExpressionGenerator, random: Random, view: str, context: str
) -> None:
    """Projections, filters and aggregates over one view."""
    depth = random.choice((1, 2, 2, 3))
    keys = [generator.any_expression(1) for _ in range(random.choice((0, 1, 1, 2)))]
    keys = comparison.valid(projection(view), keys)
    for shape, texts in (
        (projection(view), [generator.any_expression(depth) for _ in range(12)]),
        (filter_(view), [generator.expression("boolean", depth) for _ in range(6)]),
        (
            aggregation(f"{view}_in_files", keys),
            [generator.aggregate(depth - 1) for _ in range(7)],
        ),
    ):
        if texts := comparison.valid(shape, texts):
            comparison.check(shape, texts, context)


def random_configuration(random: Random, table: RandomTable) -> dict[str, str]:
    """Keys of one round."""
    ansi = random.random() < (0.6 if table.mild else 0.25)
    return {
        "spark.sql.ansi.enabled": str(ansi).lower(),
        "spark.sql.session.timeZone": random.choice(ZONES),
        "spark.broadhead.batchRows": random.choice(("3", "7", "131072")),
        "spark.sql.optimizer.excludedRules": random.choice(("", NO_FOLDING)),
    }


@pytest.fixture(scope="module")
def views(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """A session with the random tables in one file and in several."""
    logging.getLogger("SQLQueryContextLogger").disabled = True
    folder = tmp_path_factory.mktemp("random")
    for table in TABLES:
        for suffix, files in (("", 1), ("_in_files", FILES)):
            path = folder / (table.name + suffix)
            write(table, Random(f"{SEED} {path.name}"), path, ROWS, files)
            frame = answers.session.read.schema(schema(table)).parquet(str(path))
            frame.createOrReplaceTempView(path.name)
    return answers


def test_every_function_is_written() -> None:
    assert writable() == functions().keys() - UNREACHABLE


def test_random_expressions(views: Answers) -> None:
    comparison = Comparison(views.session)
    for number in range(ROUNDS):
        random = Random(f"{SEED} round {number}")
        table = random.choice(TABLES)
        configuration = random_configuration(random, table)
        context = f"BROADHEAD_RANDOM_SEED={SEED}, round {number}, {configuration}"
        with configured(views.session, configuration):
            generator = ExpressionGenerator(random, table)
            run_round(comparison, generator, random, table.name, context)
    print(dict(comparison.tally))
    if comparison.problems:
        pytest.fail("\n\n".join(comparison.problems), pytrace=False)
    asked = sum(comparison.tally.values())
    assert comparison.tally["accelerated"] > asked / 2, comparison.tally
