"""Tables of Hive's metastore: Parquet and ORC in fragments, all other formats by Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from broadhead.explanation import explain
from spark.answers import Answers, plan_of
from spark.test_table_files import metric
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.nightly

READ, WRITE = "BroadheadFileSourceScan", "BroadheadWriteFiles"
COLUMNS = (
    "id BIGINT, small TINYINT, flag BOOLEAN, d DECIMAL(12,2), x DOUBLE, f FLOAT, s STRING, "
    "v VARCHAR(8), c CHAR(4), b BINARY, day DATE, at TIMESTAMP, a ARRAY<INT>, m MAP<STRING, INT>, "
    "st STRUCT<p: INT, q: STRING>"
)
ROWS = (
    "SELECT id, CAST(id % 100 AS TINYINT) AS small, id % 3 = 0 AS flag, "
    "CAST(id / 4 AS DECIMAL(12,2)) AS d, IF(id % 7 = 0, NULL, id / 8) AS x, "
    "CAST(id / 8 AS FLOAT) AS f, concat('name ', id % 11) AS s, concat('v', id % 10) AS v, "
    "'ab' AS c, CAST(concat(id, 'x') AS BINARY) AS b, date_add(DATE'2020-01-01', CAST(id AS INT)) "
    "AS day, timestamp_seconds(id * 1000) AS at, array(CAST(id AS INT), NULL) AS a, "
    "map('k', CAST(id AS INT)) AS m, named_struct('p', CAST(id AS INT), 'q', string(id)) AS st, "
    "CAST(id % 4 AS INT) AS part, IF(id % 2 = 0, 'a b/ü=%', 'x') AS name FROM numbers"
)
FORMATS = ["PARQUET", "ORC"]
OTHERS = ["TEXTFILE", "SEQUENCEFILE", "RCFILE", "AVRO"]


@pytest.fixture(scope="module", autouse=True)
def numbers(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A view of numbers in files, so that fragments write what is made of them."""
    path = str(tmp_path_factory.mktemp("hive") / "numbers")
    spark = answers.session
    spark.conf.set("hive.exec.dynamic.partition.mode", "nonstrict")
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        spark.range(0, 800, 1, 2).write.parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("numbers")
    yield
    spark.catalog.dropTempView("numbers")


@pytest.fixture
def create(answers: Answers) -> Iterator[Callable[..., None]]:
    """Creates the table `hive_table`, and drops it."""
    spark = answers.session

    def made(kind: str, columns: str = COLUMNS, rows: str | None = ROWS) -> None:
        spark.sql("DROP TABLE IF EXISTS hive_table")
        spark.sql(
            f"CREATE TABLE hive_table ({columns}) PARTITIONED BY (part INT, name STRING) "
            f"STORED AS {kind}"
        )
        if rows is not None:
            with configured(spark, {"spark.broadhead.enabled": "false"}):
                spark.sql(f"INSERT INTO hive_table {rows}")

    yield made
    spark.sql("DROP TABLE IF EXISTS hive_table")


QUERIES = [
    "SELECT * FROM hive_table",
    "SELECT part, name, sum(d), max(s), count(x) FROM hive_table WHERE part > 0 GROUP BY 1, 2",
    "SELECT id, c, v, st.q FROM hive_table WHERE name = 'a b/ü=%' AND id < 50",
    "SELECT count(*) FROM hive_table WHERE part = 2",
    "SELECT id FROM hive_table JOIN (SELECT part AS p FROM hive_table WHERE id = 1) ON part = p",
]


@pytest.mark.parametrize("kind", FORMATS)
def test_converted_tables_are_read_in_fragments(
    answers: Answers, create: Callable[..., None], kind: str
) -> None:
    create(kind)
    for sql in QUERIES:
        frame = answers.same_rows(lambda spark, sql=sql: spark.sql(sql))
        assert READ in plan_of(frame), plan_of(frame)


@pytest.mark.parametrize("kind", FORMATS)
def test_tables_that_are_not_converted(
    answers: Answers, create: Callable[..., None], kind: str
) -> None:
    """Hive's own readers: the operators above them run in fragments."""
    create(kind)
    key = f"spark.sql.hive.convertMetastore{kind.title()}"
    with configured(answers.session, {key: "false"}):
        read_by_hive(answers)


@pytest.mark.parametrize("kind", OTHERS)
def test_other_formats(answers: Answers, create: Callable[..., None], kind: str) -> None:
    create(kind)
    read_by_hive(answers)


HIVE_QUERIES = [
    "SELECT part, name, max(s), count(x) FROM hive_table WHERE part > 0 GROUP BY part, name",
    "SELECT id, c, v, st.q FROM hive_table WHERE name = 'a b/ü=%' AND id < 50",
]
"""Without decimals, which Hive's reader of Parquet does not know as integers."""


def read_by_hive(answers: Answers) -> None:
    for sql in HIVE_QUERIES:
        frame = answers.same_rows(lambda spark, sql=sql: spark.sql(sql))
        assert READ not in plan_of(frame)
        (scan,) = (node for node in explain(frame).nodes if node.name.startswith("Scan hive"))
        assert any("Hive" in reason for reason in scan.reasons), scan.reasons


def insert(spark: SparkSession, statement: str) -> None:
    spark.sql(statement.format(rows=ROWS))


INSERTS = [
    ("INSERT INTO hive_table {rows} WHERE id % 3 > 0",),
    ("INSERT INTO hive_table {rows}", "INSERT OVERWRITE hive_table {rows} WHERE id < 100"),
    (
        "INSERT INTO hive_table {rows}",
        "INSERT OVERWRITE hive_table PARTITION (part = 1, name) "
        "SELECT * EXCEPT (part) FROM ({rows} WHERE id < 10)",
    ),
    (
        "INSERT INTO hive_table PARTITION (part = 7, name = 'p q') "
        "SELECT * EXCEPT (part, name) FROM ({rows} WHERE id < 10)",
    ),
]


@pytest.mark.parametrize("statements", INSERTS, ids=range(len(INSERTS)))
@pytest.mark.parametrize("kind", FORMATS)
def test_inserts(
    answers: Answers, create: Callable[..., None], kind: str, statements: tuple[str, ...]
) -> None:
    """The same rows, and partitions in the metastore, as after Spark's own writes."""
    spark = answers.session
    found = []
    for enabled in ("false", "true"):
        create(kind, rows=None)
        with configured(spark, {"spark.broadhead.enabled": enabled}):
            for statement in statements:
                insert(spark, statement)
        if enabled == "true":
            assert metric(spark, WRITE, "number of tasks replayed by Spark") == 0
        with configured(spark, {"spark.broadhead.enabled": "false"}):
            found.append((enabled, sorted(map(repr, spark.table("hive_table").collect()))))
            key = f"spark.sql.hive.convertMetastore{kind.title()}"
            with configured(spark, {key: "false"}):
                by_hive = spark.sql("SELECT * EXCEPT (d) FROM hive_table").collect()
                found.append((enabled, sorted(map(repr, by_hive))))
            partitions = [row[0] for row in spark.sql("SHOW PARTITIONS hive_table").collect()]
            found.append((enabled, partitions))
    plain = [value for enabled, value in found if enabled == "false"]
    ours = [value for enabled, value in found if enabled == "true"]
    assert ours == plain
    assert all(plain)


@pytest.mark.parametrize("kind", FORMATS)
def test_create_table_as_select(answers: Answers, kind: str) -> None:
    spark = answers.session
    tables = []
    rows = "SELECT id, CAST(id / 4 AS DECIMAL(9,2)) AS d, string(id) AS s FROM numbers WHERE id > 5"
    for enabled in ("false", "true"):
        with configured(spark, {"spark.broadhead.enabled": enabled}):
            spark.sql(f"CREATE TABLE hive_copy STORED AS {kind} AS {rows}")
        with configured(spark, {"spark.broadhead.enabled": "false"}):
            tables.append(sorted(map(repr, spark.table("hive_copy").collect())))
            spark.sql("DROP TABLE hive_copy")
    assert tables[1] == tables[0]


@pytest.mark.parametrize("kind", [*FORMATS, "TEXTFILE"])
def test_writes_by_hive(answers: Answers, create: Callable[..., None], kind: str) -> None:
    """Tables that are not converted, and other formats, are written by Hive's classes."""
    create(kind, rows=None)
    spark = answers.session
    keys = {f"spark.sql.hive.convertMetastore{name.title()}": "false" for name in FORMATS}
    with configured(spark, keys):
        text = spark.sql(f"EXPLAIN EXTENDED INSERT INTO hive_table {ROWS}").collect()[0][0]
        assert WRITE not in text
        insert(spark, "INSERT INTO hive_table {rows}")
        assert spark.table("hive_table").count() == 800


def test_schemas_of_partitions_that_differ(answers: Answers, create: Callable[..., None]) -> None:
    """A column that was added later is null in older files."""
    create("PARQUET", columns="id BIGINT", rows=None)
    spark = answers.session
    spark.sql("INSERT INTO hive_table SELECT id, CAST(id % 2 AS INT), 'old' FROM numbers")
    spark.sql("ALTER TABLE hive_table ADD COLUMNS (Later STRING)")
    spark.sql(
        "INSERT INTO hive_table SELECT id, string(id), CAST(id % 2 AS INT), 'new' FROM numbers"
    )

    def make(spark: SparkSession) -> DataFrame:
        return spark.sql("SELECT part, name, count(later), max(ID) FROM hive_table GROUP BY 1, 2")

    assert READ in plan_of(answers.same_rows(make))
