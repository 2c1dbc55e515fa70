"""Samples with replacement: Spark's rows, each as often, from any source."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from spark.answers import Answers, plan_of
from spark.cluster_programs import RunInSession
from sql_sessions import configured

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

ROWS = 3_000


@pytest.fixture(scope="module", autouse=True)
def table(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """`t` in four files, with nulls and columns of arrays, structs and maps."""
    path = str(tmp_path_factory.mktemp("sample") / "t")
    session = answers.session
    with configured(session, {"spark.broadhead.enabled": "false"}):
        session.range(0, ROWS, 1, 4).selectExpr(
            "id",
            "if(id % 7 = 0, NULL, concat('row ', id)) AS s",
            "cast(id AS DECIMAL(12, 2)) AS d",
            "if(id % 5 = 0, NULL, array(id, NULL)) AS a",
            "named_struct('x', id % 3, 'y', if(id % 11 = 0, NULL, id)) AS p",
            "map(id, id % 9) AS m",
        ).write.parquet(path)
    files = {"spark.sql.files.maxPartitionBytes": "20000", "spark.sql.files.openCostInBytes": "0"}
    with configured(session, files):
        session.read.parquet(path).createOrReplaceTempView("t")
        yield


def drawn(frame: DataFrame, fraction: float = 0.7, seed: int = 42) -> DataFrame:
    return frame.sample(withReplacement=True, fraction=fraction, seed=seed)


def assert_sampled(frame: DataFrame, samples: int = 1) -> None:
    """So many samples of the plan, and no fewer, run in the engine."""
    plan = plan_of(frame).partition("== Initial Plan ==")[0]
    assert plan.count("BroadheadSample ") == samples, plan
    assert plan.replace("BroadheadSample ", "").count("Sample ") == 0, plan


SEEDS = [1 << 40, -(2**63)]
FRACTIONS = [0.0, 0.003, 0.5, 1.0, 12.5, 45.0]
"""From 40 on Spark draws in another way."""


@pytest.mark.parametrize(
    ("fraction", "seed"),
    [
        # By day one of the seeds, by turns.
        pytest.param(fraction, seed, marks=pytest.mark.nightly if (number + turn) % 2 else [])
        for number, fraction in enumerate(FRACTIONS)
        for turn, seed in enumerate(SEEDS)
    ],
)
def test_rows_are_drawn_as_often_as_by_spark(answers: Answers, fraction: float, seed: int) -> None:
    condition = "id % 8 = 0" if fraction > 10 else "true"
    frame = answers.same_rows(lambda s: drawn(s.table("t").where(condition), fraction, seed))
    assert_sampled(frame)


def test_samples_without_a_seed(answers: Answers) -> None:
    """Spark 4.2 and later draw the seed when they plan; each plan has its own."""
    session = answers.session
    sampled = session.sql("SELECT id FROM t TABLESAMPLE (50 PERCENT)")
    first, again = ([row.id for row in sampled.collect()] for _ in range(2))
    assert_sampled(sampled)
    assert first == again
    assert ROWS * 0.4 < len(first) < ROWS * 0.6
    repeated = session.table("t").sample(withReplacement=True, fraction=2.0).select("id")
    assert ROWS * 1.8 < repeated.count() < ROWS * 2.2


def test_order_is_sparks(answers: Answers) -> None:
    found = []
    for enabled in ("false", "true"):
        with configured(answers.session, {"spark.broadhead.enabled": enabled}):
            found.append(drawn(answers.session.table("t").select("id"), 2.5).collect())
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "batch_rows", ["7", *(pytest.param(rows, marks=pytest.mark.nightly) for rows in ("1", "1000"))]
)
def test_batches_of_any_size(answers: Answers, batch_rows: str, configuration: Callable) -> None:
    configuration(spark__broadhead__batchRows=batch_rows)
    assert_sampled(answers.same_rows(lambda s: drawn(s.table("t").limit(400), 3.0)))


FRAMES: dict[str, tuple[int, Callable[..., DataFrame]]] = {
    "filter below": (1, lambda t: drawn(t.where("id % 3 = 0"))),
    "filter above": (1, lambda t: drawn(t).where("id % 3 = 0").select("s")),
    "no rows": (1, lambda t: drawn(t.where("id < 0"))),
    "no columns": (1, lambda t: drawn(t).groupBy().count()),
    "constants": (1, lambda t: drawn(t).selectExpr("1 AS one")),
    "aggregate": (1, lambda t: drawn(t).groupBy("p.x").agg({"d": "sum", "s": "max"})),
    "shuffled": (
        1,
        lambda t: drawn(t.groupBy("id").count().repartition(3, "id").sortWithinPartitions("id")),
    ),
    "shuffled in turn": (1, lambda t: drawn(t.orderBy("id")).groupBy().sum("id")),
    "of a sample": (2, lambda t: drawn(drawn(t, 1.5, 3), 0.4, 4)),
    "two of a union": (2, lambda t: drawn(t, 0.5, 5).unionAll(drawn(t.where("id > 90"), 2.0, 6))),
    "both sides of a join": (
        2,
        lambda t: drawn(t, 0.5, 7).select("id").join(drawn(t, 0.9, 8).select("id", "s"), "id"),
    ),
    "exploded": (1, lambda t: drawn(t).selectExpr("id", "explode(a) AS e")),
}
BY_NIGHT = {"filter above", "constants", "shuffled in turn", "of a sample", "two of a union"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.nightly if name in BY_NIGHT else []) for name in FRAMES],
)
def test_samples_among_other_operators(answers: Answers, name: str) -> None:
    samples, make = FRAMES[name]
    assert_sampled(answers.same_rows(lambda s: make(s.table("t"))), samples)


def test_rows_that_come_from_spark(answers: Answers) -> None:
    """The socket is another one than that of the rows."""

    def same(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        yield from batches

    def make(session: object) -> DataFrame:
        rows = answers.session.table("t").select("id", "s").mapInPandas(same, "id BIGINT, s STRING")
        return drawn(rows, 1.3).groupBy("s").sum("id")

    assert_sampled(answers.same_rows(make))


def test_cached_rows(answers: Answers) -> None:
    cached = answers.session.table("t").cache()
    try:
        assert_sampled(answers.same_rows(lambda s: drawn(s.table("t"), 2.0).groupBy("m").count()))
    finally:
        cached.unpersist(blocking=True)


def test_an_error_behind_drawn_rows_is_sparks(answers: Answers) -> None:
    answers.same_error(
        lambda s: drawn(s.table("t"), 2.0).selectExpr("id DIV (id - 2900) AS q").groupBy().sum("q"),
        "DIVIDE_BY_ZERO",
    )


def test_tasks_that_spark_runs_again(answers: Answers) -> None:
    """What the engine leaves to Spark row by row comes from the same random numbers."""

    def make(session: object) -> DataFrame:
        rows = drawn(answers.session.table("t"), 0.5)
        return rows.selectExpr("if(id < 4000, 1, 9223372036854775807 + id) AS n").groupBy().sum("n")

    assert_sampled(answers.same_rows(make, replays=None))


SOCKETS = """
import stat
spark.conf.set("spark.sql.files.maxPartitionBytes", "200k")
before = set(Path(own).glob("broadhead-*"))
def look(batches):
    import pyarrow as pa
    for batch in batches:
        for path in set(Path(own).glob("broadhead-*")) - before:
            if path.stat().st_uid == os.getuid() and any(map(Path.is_socket, path.iterdir())):
                mode = oct(stat.S_IMODE(path.stat().st_mode))
                yield pa.RecordBatch.from_pydict({"path": [str(path)], "mode": [mode]})
sampled = lambda: spark.read.parquet(str(folder / "t.parquet")).sample(True, 2.0, 1)
seen = sampled().mapInArrow(look, "path STRING, mode STRING").collect()
results["seen"] = len(seen) > 0
results["modes"] = sorted({row.mode for row in seen})
results["left"] = list(map(str, set(Path(own).glob("broadhead-*")) - before))
count = lambda: sampled().selectExpr("id % 10 AS k").groupBy("k").count()
results["rows"] = rows(count()) == by_spark(count)
"""


@pytest.mark.xdist_group("two executors")
def test_sockets_are_private_and_removed(tmp_path: Path, two_executors: RunInSession) -> None:
    # Each task has row groups of its own: a single task might be replayed.
    table = pd.DataFrame({"id": range(100_000)})
    table.to_parquet(tmp_path / "t.parquet", row_group_size=10_000)
    assert two_executors(tmp_path, SOCKETS) == {
        "seen": True,
        "modes": ["0o700"],
        "left": [],
        "rows": True,
    }
