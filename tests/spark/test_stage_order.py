"""The side of a join that may turn out small runs before the other one is shuffled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import broadhead
from spark.answers import Answers, plan_of
from sql_sessions import configured

ROWS = 2_500_000
"""So that two columns that cannot be compressed have more than 16 MiB."""

ADAPTIVE = {
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "4m",
    "spark.sql.shuffle.partitions": "3",
}
FEW = "(SELECT k AS few, label FROM dims WHERE label LIKE '%77%') few"
MANY = "(SELECT k AS few, label FROM dims WHERE label LIKE '%') few"
TOTALS = "count(*), sum(v % 1000), min(label), max(label)"


@pytest.fixture(scope="module", autouse=True)
def tables(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """`facts` with many rows for each of the keys of `dims`."""
    folder = tmp_path_factory.mktemp("order")
    session = answers.session
    columns = {
        "facts": (ROWS, ["abs(xxhash64(id)) % 100000 AS k", "xxhash64(id, 1) AS v", "id"]),
        "dims": (300_000, ["id AS k", "concat('label ', id) AS label"]),
    }
    for name, (rows, expressions) in columns.items():
        path = str(Path(folder, name))
        with configured(session, {"spark.broadhead.enabled": "false"}):
            session.range(0, rows, 1, 4).selectExpr(*expressions).write.parquet(path)
        session.read.parquet(path).createOrReplaceTempView(name)
    with configured(session, ADAPTIVE):
        yield


def final_plan(answers: Answers, sql: str) -> str:
    """The plan that gave Spark's rows, for which Spark is asked once."""
    frame = answers.same_rows(lambda session: session.sql(sql), known_as=sql)
    plan = plan_of(frame).partition("== Initial Plan ==")[0]
    assert "BroadheadAwait" not in plan, plan
    return plan


def shuffles(plan: str) -> int:
    """Shuffles of single columns by key: not that of the total."""
    return plan.count("BroadheadShuffleExchange hashpartitioning")


@pytest.mark.parametrize(
    "tables_",
    [
        f"facts JOIN {FEW} ON k = few",
        pytest.param(f"{FEW} JOIN facts ON k = few", marks=pytest.mark.nightly),
        pytest.param(f"facts LEFT JOIN {FEW} ON k = few", marks=pytest.mark.nightly),
        f"{FEW} RIGHT JOIN facts ON k = few",
    ],
)
def test_large_side_is_not_shuffled(answers: Answers, tables_: str) -> None:
    plan = final_plan(answers, f"SELECT {TOTALS} FROM {tables_}")
    assert "BroadheadBroadcastHashJoin" in plan, plan
    assert shuffles(plan) == 1, plan


@pytest.mark.parametrize("mode", ["simple", pytest.param("extended", marks=pytest.mark.nightly)])
def test_plan_shows_each_shuffle_once(answers: Answers, mode: str) -> None:
    """Although the one that is waited for stands in it twice until it is made."""
    frame = answers.session.sql(f"SELECT {TOTALS} FROM facts JOIN {FEW} ON k = few")
    execution = frame._jdf.queryExecution()
    planned = execution.executedPlan().executedPlan()
    assert "BroadheadAwait" in {
        planned.apply(number).getClass().getSimpleName() for number in range(12)
    }
    text = frame._sc._jvm.PythonSQLUtils.explainString(execution, mode)
    plan = text.partition("== Physical Plan ==")[2].partition("== Extended Information")[0]
    assert shuffles(plan) == 2, plan


@pytest.mark.nightly  # by day inner and outer joins
def test_semi_join_with_chosen_groups(answers: Answers) -> None:
    """HAVING leaves few groups, of however many rows; the keys that they join by are others."""
    groups = "SELECT (v % 100) * 1000 AS g FROM facts GROUP BY v % 100 HAVING sum(id) % 7 = 1"
    plan = final_plan(answers, f"SELECT count(*), sum(id) FROM facts WHERE k IN ({groups})")
    assert "BroadheadBroadcastHashJoin" in plan, plan
    assert shuffles(plan) == 2, plan


@pytest.mark.parametrize(
    "tables_",
    [
        pytest.param(f"facts JOIN {MANY} ON k = few", marks=pytest.mark.nightly),
        pytest.param(f"{MANY} JOIN facts ON k = few", marks=pytest.mark.nightly),
        pytest.param(f"facts FULL JOIN {FEW} ON k = few", marks=pytest.mark.nightly),
        f"{FEW} LEFT JOIN facts ON k = few",
    ],
)
def test_both_sides_are_shuffled(answers: Answers, tables_: str) -> None:
    """The side that ran first was too large, or cannot be broadcast in this join."""
    plan = final_plan(answers, f"SELECT {TOTALS} FROM {tables_}")
    assert "BroadheadSortMergeJoin" in plan, plan
    assert shuffles(plan) == 2, plan


def test_small_side_that_stands_twice_in_the_plan(answers: Answers) -> None:
    """One stage serves both joins, and is finished when the second one asks for it."""
    joins = f"facts JOIN {FEW} ON k = few JOIN {FEW.replace('few', 'more')} ON v % 100000 = more"
    sql = f"SELECT count(*), min(few.label), max(more.label) FROM {joins}"
    plan = final_plan(answers, sql)
    assert plan.count("BroadheadBroadcastHashJoin") == 2, plan
    assert "ReusedExchange" in plan, plan


@pytest.mark.nightly  # by day each half is a test
def test_join_of_joins(answers: Answers) -> None:
    """The large side waits for a join that itself has waited."""
    inner = f"(SELECT few, label FROM {FEW} JOIN facts ON k = few WHERE id % 1000 = 1) few"
    plan = final_plan(answers, f"SELECT {TOTALS} FROM facts JOIN {inner} ON k = few")
    assert plan.count("BroadheadBroadcastHashJoin") == 2, plan


def test_without_reuse_of_exchanges(answers: Answers) -> None:
    """A stage that is waited for would run twice."""
    with configured(answers.session, {"spark.sql.exchange.reuse": "false"}):
        plan = final_plan(answers, f"SELECT {TOTALS} FROM facts JOIN {FEW} ON k = few")
    assert shuffles(plan) == 2, plan


NULLS = "(SELECT nullif(k, k % 3) AS few, label FROM dims WHERE label LIKE '%77%') few"
NONE = "(SELECT k AS few, label FROM dims WHERE label LIKE '%none%') few"


KINDS = ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"]
BY_DAY = {"few": ["LEFT JOIN"], "nulls": ["FULL JOIN"], "none": ["LEFT ANTI JOIN"]}
"""Those that no other test here has."""


@pytest.mark.parametrize(
    ("kind", "few"),
    [
        pytest.param(
            *(kind, few),
            id=f"{kind}-{name}",
            marks=[] if kind in BY_DAY[name] else pytest.mark.nightly,
        )
        for kind in KINDS
        for name, few in {"few": FEW, "nulls": NULLS, "none": NONE}.items()
    ],
)
def test_rows_of_every_join(answers: Answers, kind: str, few: str) -> None:
    """Keys that are null, and a side without rows, which lets Spark leave the join out."""
    columns = "count(*), sum(v % 1000)" if "SEMI" in kind or "ANTI" in kind else TOTALS
    final_plan(answers, f"SELECT {columns} FROM facts {kind} {few} ON nullif(k, 7) = few")


def test_sides_in_both_orders(answers: Answers) -> None:
    """Each of two alike sides is waited for in one of the joins."""
    one, other = (
        f"(SELECT k AS {name}, v FROM facts WHERE id % 1000 = {rest}) {name}"
        for name, rest in (("one", 1), ("other", 2))
    )
    joins = [
        f"SELECT count(*) AS n, sum(one.v % 100 + other.v % 10) AS s FROM {left} JOIN {right}"
        " ON one = other"
        for left, right in ((one, other), (other, one))
    ]
    final_plan(answers, " UNION ALL ".join(joins))


def test_long_chains_of_joins(answers: Answers) -> None:
    """The plan does not double with each join."""
    chain = FEW.removesuffix(" few")
    for _ in range(9):
        groups = f"FROM {chain} s JOIN facts ON k = few GROUP BY v HAVING sum(id) % 7 = 1"
        chain = f"(SELECT v % 100000 AS few, max(label) AS label {groups})"
    with configured(answers.session, {"spark.sql.adaptive.autoBroadcastJoinThreshold": "1g"}):
        plan = answers.session.sql(chain[1:-1])._jdf.queryExecution().executedPlan()
        nodes = plan.executedPlan().collectLeaves().size()
    assert 10 < nodes < 200


def test_static_plans_wait_for_nothing(answers: Answers) -> None:
    with configured(answers.session, {"spark.sql.adaptive.enabled": "false"}):
        plan = final_plan(answers, f"SELECT {TOTALS} FROM facts JOIN {FEW} ON k = few")
    assert shuffles(plan) == 2, plan


@pytest.mark.parametrize(
    "tables_",
    [
        f"facts JOIN {FEW} ON k = few",
        pytest.param(f"{FEW} JOIN facts ON k = few", marks=pytest.mark.nightly),
    ],
)
def test_explain_shows_each_operator_once(answers: Answers, tables_: str) -> None:
    frame = answers.session.sql(f"SELECT {TOTALS} FROM {tables_}")
    names = [node.name for node in broadhead.explain(frame).nodes]
    assert names.count("BroadheadFileSourceScan") == 2, names
    assert broadhead.explain(frame).accelerated == len(names)
