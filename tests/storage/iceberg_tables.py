"""Iceberg tables that tests make with Spark alone, and queries of them that are compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

from spark.answers import Answers, plan_of
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Tables:
    """Makes tables with Spark alone, and asks both about them."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers

    def run(self, *commands: str) -> None:
        with configured(self.answers.session, {"spark.broadhead.enabled": "false"}):
            for command in commands:
                self.answers.session.sql(command)

    def same(self, query: str, *, replays: int | None = 0) -> DataFrame:
        frame = self.answers.same_rows(lambda spark: spark.sql(query), replays=replays)
        assert "BroadheadBatchScan" in plan_of(frame), plan_of(frame)
        return frame


def create(tables: Tables, name: str, columns: str, *, then: str = "") -> str:
    tables.run(f"CREATE TABLE ice.db.{name} ({columns}) USING iceberg {then}")
    return f"ice.db.{name}"


def delete_where_equal(tables: Tables, table: str, column: str, values: Sequence[object]) -> None:
    """Commits an equality delete of an unpartitioned table, as Flink writes them."""
    jvm = tables.answers.session._jvm
    iceberg = jvm.org.apache.iceberg
    of_table = iceberg.spark.Spark3Util.loadIcebergTable(
        tables.answers.session._jsparkSession, table
    )
    schema = of_table.schema().select([column])
    ids = tables.answers.session.sparkContext._gateway.new_array(jvm.int, 1)
    ids[0] = of_table.schema().findField(column).fieldId()
    writers = iceberg.data.GenericAppenderFactory(
        of_table.schema(), of_table.spec(), ids, schema, None
    )
    name = f"{of_table.location()}/data/{uuid4()}.parquet"
    file = iceberg.encryption.EncryptedFiles.plainAsEncryptedOutput(
        of_table.io().newOutputFile(name)
    )
    writer = writers.newEqDeleteWriter(file, iceberg.FileFormat.PARQUET, None)
    for value in values:
        record = iceberg.data.GenericRecord.create(schema)
        record.setField(column, value)
        writer.write(record)
    writer.close()
    of_table.newRowDelta().addDeletes(writer.toDeleteFile()).commit()
    tables.run(f"REFRESH TABLE {table}")
