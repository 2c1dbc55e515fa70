"""Process that holds one Spark session: reads requests as JSON lines, answers as JSON lines.

It is started by `EngineProcess` with the interpreter of the engine, and needs nothing but pyspark.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from processor_time import processor_times, used_since

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession


class Session:
    """Answers requests on one Spark session."""

    def __init__(self) -> None:
        self._spark: SparkSession | None = None

    @property
    def spark(self) -> SparkSession:
        """The session that `start` made."""
        if self._spark is None:
            raise RuntimeError("the session was not started")
        return self._spark

    def start(self, conf: dict[str, str]) -> dict[str, Any]:
        """Start the session; gives its start time in seconds, from pyspark's import on."""
        started = time.perf_counter()
        from pyspark.sql import SparkSession

        imported = time.perf_counter()
        builder = SparkSession.builder
        for key, value in conf.items():
            builder = builder.config(key, value)
        self._spark = builder.getOrCreate()
        ended = time.perf_counter()
        jvm = self._spark._jvm
        return {
            "import_s": imported - started,
            "session_s": ended - imported,
            "versions": {
                "spark": self._spark.version,
                "java": jvm.System.getProperty("java.version"),
                "python": sys.version.split()[0],
            },
        }

    def views(self, tables: dict[str, str], source: str = "parquet") -> dict[str, Any]:
        """Make temporary views of folders that a data source reads."""
        for name, folder in tables.items():
            self.spark.read.format(source).load(folder).createOrReplaceTempView(name)
        return {}

    def write_tables(self, tables: dict[str, str]) -> dict[str, Any]:
        """Make tables of Iceberg from Parquet folders."""
        for name, folder in tables.items():
            self.spark.read.parquet(folder).writeTo(name).using("iceberg").create()
        return {}

    def convert(self, files: list[str], schema: str, parts: int, folder: str) -> dict[str, Any]:
        """Write text files, as generators of the TPC write them, as Parquet files of one table."""
        lines = self.spark.read.schema(schema).options(
            sep="|", quote="", encoding="ISO-8859-1", mode="FAILFAST"
        )
        lines.csv(files).coalesce(parts).write.parquet(folder)
        return {}

    def run(
        self,
        sql: str,
        description: str | None = None,
        rows: str | None = None,
        profile: bool = False,  # noqa: FBT001, FBT002 - called by name, from JSON
    ) -> dict[str, Any]:
        """Run one query; gives its time, from text to rows in Python.

        `description` names it in Spark's event log; `rows` names a file to which column names and
        rows are pickled; `profile` adds the split of the time by Spark's and Broadhead's metrics.
        """
        self.spark.sparkContext.setJobDescription(description)
        return self._timed(lambda: self.spark.sql(sql), rows, profile=profile)

    def _timed(
        self, make: Callable[[], DataFrame], rows: str | None, *, profile: bool
    ) -> dict[str, Any]:
        if profile:
            from query_profile import Profile

            recorded = Profile(self.spark)
        used = processor_times()
        started = time.perf_counter()
        frame = make()
        result = frame.collect()
        answer: dict[str, Any] = {
            "seconds": time.perf_counter() - started,
            "cpu_s": used_since(used),
            "rows": len(result),
        }
        if rows is not None:
            plan = frame._jdf.queryExecution().executedPlan().toString()
            answer["accelerated"] = "Broadhead" in plan
            with Path(rows).open("wb") as file:
                pickle.dump((frame.columns, [tuple(row) for row in result]), file)
        if profile:
            answer["profile"] = recorded.of(frame)
        return answer

    def pipeline(
        self,
        name: str,
        description: str | None = None,
        rows: str | None = None,
        profile: bool = False,  # noqa: FBT001, FBT002 - called by name, from JSON
    ) -> dict[str, Any]:
        """Run one of `function_pipelines`; arguments and answer are those of `run`."""
        import function_pipelines

        self.spark.sparkContext.setJobDescription(description)
        # the session unpickles functions of this module by their name
        self.spark.sparkContext.addPyFile(function_pipelines.__file__)
        make = getattr(function_pipelines, name)
        return self._timed(lambda: make(self.spark), rows, profile=profile)

    def file_pipeline(
        self,
        name: str,
        data: str,
        folder: str,
        description: str | None = None,
        rows: str | None = None,
        profile: bool = False,  # noqa: FBT001, FBT002 - called by name, from JSON
        module: str = "file_pipelines",
    ) -> dict[str, Any]:
        """Run one of the module's pipelines; arguments and answer are those of `run`."""
        pipelines = import_module(module)
        self.spark.sparkContext.setJobDescription(description)
        make = getattr(pipelines, name)
        paths = Path(data), Path(folder)
        if hasattr(pipelines, "before"):
            pipelines.before(paths[1])
        return self._timed(lambda: make(self.spark, *paths), rows, profile=profile)

    def make_tables(self, data: str, folder: str, module: str) -> dict[str, Any]:
        """Make the tables that the module's pipelines change."""
        import_module(module).make_tables(self.spark, Path(data), Path(folder))
        return {}

    def fetch(self, sql: str, kind: str) -> dict[str, Any]:
        """Run one query with `toArrow` or `toPandas`; gives its time, from text to Python."""
        started = time.perf_counter()
        result = getattr(self.spark.sql(sql), kind)()
        seconds = time.perf_counter() - started
        return {"seconds": seconds, "rows": result.num_rows if kind == "toArrow" else len(result)}

    def stop(self) -> None:
        """Stop the session, if one was started."""
        if self._spark is not None:
            self._spark.stop()


def _answer_channel() -> IO[str]:
    """Standard output for answers alone: what Spark or the JVM prints goes to standard error."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return channel


def main() -> None:
    """Answer requests until the input ends."""
    channel = _answer_channel()
    session = Session()
    methods: dict[str, Callable[..., dict[str, Any]]] = {
        "start": session.start,
        "views": session.views,
        "convert": session.convert,
        "write_tables": session.write_tables,
        "run": session.run,
        "fetch": session.fetch,
        "pipeline": session.pipeline,
        "file_pipeline": session.file_pipeline,
        "make_tables": session.make_tables,
    }
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = methods[request.pop("do")](**request)
        except Exception as error:
            text = str(error).strip().splitlines()
            answer = {"error": f"{type(error).__name__}: {text[0] if text else ''}"}
            sys.excepthook(type(error), error, error.__traceback__)
        channel.write(json.dumps(answer) + "\n")
        channel.flush()
    session.stop()


if __name__ == "__main__":
    main()
