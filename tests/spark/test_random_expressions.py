"""Random expressions over random tables: Broadhead must answer as Spark does."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from broadhead.aggregates.registry import aggregates
from broadhead.explanation import explain
from broadhead.functions.registry import functions
from leeway import leeway_of
from random_expressions import (
    UNREACHABLE,
    aggregate_calls,
    any_expressions,
    expressions,
    writable,
)
from random_rounds import run_rounds
from random_tables import RandomTable, edge_table, mild_table, schema, write
from sql_answers import Mismatch, Rows, compare_rows
from sql_sessions import NO_FOLDING, configured, replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark.answers import Answers

ZONES = ("UTC", "America/Los_Angeles", "Europe/Paris", "+05:30", "Asia/Kolkata")
TABLES = (mild_table(), edge_table())
MOMENTS = tuple(
    f"{aggregates()[spark].name}("
    for spark in (
        *("StddevSamp", "StddevPop", "VarianceSamp", "VariancePop"),
        *("RegrReplacement", "RegrSXY", "CovPopulation", "CovSample"),
    )
)
NOISE = 1e-9
"""Of different multiples of 1/4, in as few rows as there are, no moment is as small as this."""
ROWS = 60
FILES = 3


@dataclass(frozen=True, slots=True)
class RandomQuery:
    """Texts for one query over a table, so that many cost no more than one.

    Attributes
    ----------
    shape
        Whether the texts are columns ("projection"), conditions ("filter") or aggregates.
    keys
        Columns by which aggregates are grouped.
    """

    shape: str
    table: str
    texts: tuple[str, ...]
    keys: tuple[str, ...]
    configuration: dict[str, str]


@st.composite
def random_queries(draw: st.DrawFn) -> RandomQuery:
    """Queries of all shapes over all tables."""
    shape = draw(st.sampled_from(("projection", "filter", "aggregation")))
    table = draw(st.sampled_from(TABLES))
    depth = draw(st.sampled_from((1, 2, 2, 3)))
    keys: list[str] = []
    if shape == "projection":
        one, most = any_expressions(table, depth, last_digits=True), 16
    elif shape == "filter":
        one, most = expressions(table, "boolean", depth), 8
    else:
        one, most = aggregate_calls(table, depth - 1), 9
        keys = draw(st.lists(any_expressions(table, 1), max_size=2))
    # From one on, lists would have six texts on average; what costs time is the query.
    texts = draw(st.lists(one, min_size=draw(st.integers(1, most)), max_size=most))
    configuration = draw(_configurations(table))
    return RandomQuery(shape, table.name, tuple(texts), tuple(keys), configuration)


@st.composite
def _configurations(draw: st.DrawFn, table: RandomTable) -> dict[str, str]:
    ansi = draw(st.integers(0, 99)) < (60 if table.mild else 25)
    return {
        "spark.sql.ansi.enabled": str(ansi).lower(),
        "spark.sql.session.timeZone": draw(st.sampled_from(ZONES)),
        "spark.broadhead.batchRows": draw(st.sampled_from(("131072", "7", "3"))),
        "spark.sql.optimizer.excludedRules": draw(st.sampled_from(("", NO_FOLDING))),
    }


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of query, and how one is written that holds several of the random texts."""

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
    """Asks Spark and Broadhead the same queries."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self.tally: Counter[str] = Counter()

    def check(self, query: RandomQuery) -> None:
        """Raises `Mismatch` where the answers differ; rejects texts that are no valid SQL."""
        with configured(self._session, query.configuration):
            keys = self._valid(projection(query.table), query.keys)
            shape = _shape(query, keys)
            texts = self._valid(shape, query.texts)
            if not texts:
                reject()
            self._check(shape, texts)

    def _check(self, shape: Shape, texts: Sequence[str]) -> None:
        sql = shape.write(texts)
        expected = self._ask(sql, enabled=False)
        alone = len(texts) == 1
        if expected.error is not None and not alone:
            self._check_halves(shape, texts)
            return
        actual = self._ask(sql, enabled=True)
        try:
            _compare(expected, actual, shape)
        except Mismatch as mismatch:
            raise Mismatch(f"{mismatch}\n  {sql}") from None
        if actual.frame is None:
            self.tally["errors"] += 1
        elif _is_accelerated(actual.frame):
            self.tally["replayed" if replayed(actual.frame) else "accelerated"] += len(texts)
        elif alone:
            self.tally["left to Spark"] += 1
        else:
            self._check_halves(shape, texts)

    def _check_halves(self, shape: Shape, texts: Sequence[str]) -> None:
        """One text must not hide the others: by its error, or by staying with Spark."""
        middle = len(texts) // 2
        self._check(shape, texts[:middle])
        self._check(shape, texts[middle:])

    def _valid(self, shape: Shape, texts: Sequence[str]) -> list[str]:
        """The texts that Spark's analyzer takes, which has rules beyond types."""
        from pyspark.errors import AnalysisException

        found = []
        for text in texts:
            with suppress(AnalysisException):
                self._session.sql(shape.write([text]))
                found.append(text)
        self.tally["no valid SQL"] += len(texts) - len(found)
        return found

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


def _compare(expected: Outcome, actual: Outcome, shape: Shape) -> None:
    both_fail = expected.error is not None and actual.error is not None
    if expected.error != actual.error and not (both_fail and shape.tasks > 1):
        raise Mismatch(
            f"{expected.error or 'rows'} from Spark, {actual.error or 'rows'} from Broadhead"
        )
    if expected.table is not None and actual.table is not None:
        left, right = _without_noise(expected.table), _without_noise(actual.table)
        leeway = leeway_of(explain(actual.frame) if actual.frame else None, shape.tolerance)
        compare_rows(Rows.of(left), Rows.of(right), leeway)


def _without_noise(table: pa.Table) -> pa.Table:
    """0.0 in place of moments of equal values.

    Spark merges each buffer of a task into an empty one first, where x / n * n need not be x. So
    means of equal values differ in their last bit, by the order in which the buffers arrive.
    """
    for ordinal, field in enumerate(table.schema):
        if field.name.startswith(MOMENTS):
            column = table.column(ordinal)
            noise = pc.less(pc.abs(column), NOISE)
            table = table.set_column(ordinal, field, pc.if_else(noise, 0.0, column))
    return table


def _is_accelerated(frame: DataFrame) -> bool:
    nodes = explain(frame).nodes
    return all(node.accelerated or node.name in {"Exchange", "Union"} for node in nodes)


def _shape(query: RandomQuery, keys: Sequence[str]) -> Shape:
    if query.shape == "projection":
        return projection(query.table)
    if query.shape == "filter":
        return filter_(query.table)
    return aggregation(f"{query.table}_in_files", keys)


def projection(view: str) -> Shape:
    """Every text as a column, each row told by its number."""
    return Shape(
        lambda texts: "SELECT id, " + ", ".join(texts) + f" FROM {view}",
    )


def filter_(view: str) -> Shape:
    """Every text as the condition of one branch of a union."""
    return Shape(
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
        lambda texts: f"SELECT {', '.join([*named, *texts])} FROM {source}{grouped}",
        tolerance=1e-9,
        tasks=FILES,
    )


@pytest.fixture(scope="module")
def views(answers: Answers, random_seed: str, tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """A session with the random tables in one file and in several."""
    logging.getLogger("SQLQueryContextLogger").disabled = True
    folder = tmp_path_factory.mktemp("random")
    for table in TABLES:
        for suffix, files in (("", 1), ("_in_files", FILES)):
            path = folder / (table.name + suffix)
            write(table, Random(f"{random_seed} {path.name}"), path, ROWS, files)
            frame = answers.session.read.schema(schema(table)).parquet(str(path))
            frame.createOrReplaceTempView(path.name)
    return answers


def test_every_function_is_written() -> None:
    supported = functions().keys() - UNREACHABLE
    missing, unknown = supported - writable(), writable() - supported
    assert not missing, (
        f"no random expression holds {sorted(missing)}. Write their signatures with types of the "
        "columns of tests/random_tables.py, or add such columns there; give operators and special "
        "forms their SQL in FORMS of tests/random_expressions.py; and add classes that no SQL text "
        "can name to UNREACHABLE there."
    )
    assert not unknown, f"remove from tests/random_expressions.py: {sorted(unknown)}"


@pytest.mark.timeout(900)
def test_random_expressions(views: Answers, random_seed: str, pytestconfig: pytest.Config) -> None:
    comparison = Comparison(views.session)

    @given(random_queries())
    def check_query(query: RandomQuery) -> None:
        comparison.check(query)

    rounds = 15 if pytestconfig.getoption("--nightly") else 1
    run_rounds(check_query, rounds, random_seed)
    tally = comparison.tally
    print(dict(tally))
    assert tally["accelerated"] > sum(tally.values()) / 2, tally
