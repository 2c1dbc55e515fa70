"""One Spark application with Hive, S3A, Delta Lake and Iceberg, and a local server of S3."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from local_session import local_session
from spark.answers import Answers
from spark.conftest import configuration as configuration
from spark.conftest import folder as folder
from storage.s3_server import S3Server
from storage.storage_jars import has_s3, storage_jars

EXTENSIONS = (
    "io.delta.sql.DeltaSparkSessionExtension",
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
)


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Server]:
    """A server with an empty bucket."""
    server = S3Server()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def application(request: pytest.FixtureRequest) -> Answers:
    """The first session of the application; it reads S3 if the jars of a client are there."""
    warehouse = Path(tempfile.mkdtemp(prefix="broadhead-iceberg-")).as_uri()
    s3 = request.getfixturevalue("s3").access() if has_s3() else {}
    access = {f"spark.hadoop.{key}": value for key, value in s3.items()}
    tables = {
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
        "spark.sql.warehouse.dir": Path(tempfile.mkdtemp(prefix="broadhead-hive-")).as_uri(),
        "spark.sql.extensions": ",".join(EXTENSIONS),
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        # Delta's own queries for the files of a table have 50 tasks each
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type": "hadoop",
        "spark.sql.catalog.ice.warehouse": warehouse,
    }
    return Answers(local_session(storage_jars(), access | tables))


@pytest.fixture(scope="module")
def answers(application: Answers) -> Answers:
    """Asks Spark and Broadhead the same in a session of the module's own."""
    session = application.session.newSession()
    session.conf.set("spark.broadhead.costModel.enabled", "false")
    session.conf.set("spark.broadhead.device", os.environ["BROADHEAD_TEST_DEVICE"])
    session.conf.set("spark.sql.shuffle.partitions", "2")
    return Answers(session)
