"""An event log of a cluster with GPUs and unequal executors, which the tests do not have."""

from __future__ import annotations

import json
from pathlib import Path

import pyspark

NAME = "org.apache.spark.sql.broadhead.application."
APPLICATION = "app-20260101000000-0001"
REASON = "executor 2 has no pyarrow <b>at all</b>"
QUERIES = 1003
"""More than Spark's UI keeps by default."""

_START = 1_767_225_600_000


def write(folder: Path) -> None:
    """Write the log of the application."""
    head = [
        {"Event": "SparkListenerLogStart", "Spark Version": pyspark.__version__},
        {
            "Event": "SparkListenerApplicationStart",
            "App Name": "cluster",
            "App ID": APPLICATION,
            "Timestamp": _START,
            "User": "someone",
        },
        {
            "Event": "SparkListenerEnvironmentUpdate",
            "JVM Information": {},
            "Spark Properties": {"spark.broadhead.future.key": "1"},
            "Hadoop Properties": {},
            "System Properties": {},
            "Metrics Properties": {},
            "Classpath Entries": {},
        },
    ]
    end = {"Event": "SparkListenerApplicationEnd", "Timestamp": _START + 60_000}
    events = [*head, *_states(), *_executors(), *map(_plan, range(QUERIES)), end]
    # Spark finds the start of an application by the beginning of its line, without spaces.
    lines = [json.dumps(event, separators=(",", ":")) for event in events]
    (folder / APPLICATION).write_text("\n".join(lines) + "\n")


def _states() -> list[dict[str, object]]:
    on = {
        "Event": f"{NAME}BroadheadStateEvent",
        "state": "on",
        "reason": "",
        "device": "gpu",
        "deviceName": "NVIDIA H200",
        "version": "0.1.0",
        "sparkVersion": pyspark.__version__,
        "python": "3.12.1",
        "pyarrow": "26.0.1",
        "cudf": "26.10.00",
        "driver": "570.86.15",
        "time": _START,
    }
    return [on, on | {"state": "off", "reason": REASON, "time": _START + 1}]


def _executors() -> list[dict[str, object]]:
    fit = {
        "Event": f"{NAME}BroadheadExecutorEvent",
        "executor": "1",
        "host": "alpha",
        "python": "3.12.1",
        "pyarrow": "26.0.1",
        "cudf": "26.10.00",
        "driver": "570.86.15",
        "gpus": ["NVIDIA H200"],
        "devices": ["GPU-5f"],
        "memory": 2 << 30,
        "tasks": 4,
        "fault": "",
        "time": _START,
    }
    unfit = {"executor": "2", "host": "beta", "pyarrow": "", "gpus": [], "fault": REASON}
    # earlier versions did not write these
    new = {"devices", "memory", "tasks"}
    earlier = {name: value for name, value in fit.items() if name not in new}
    other = {"executor": "3", "devices": ["GPU-6a"], "memory": 3 << 30, "tasks": 1}
    return [fit, fit | other, earlier | unfit]


def _plan(number: int) -> dict[str, object]:
    node = {"depth": 0, "name": "HashAggregate", "accelerated": False}
    return {
        "Event": f"{NAME}BroadheadPlanEvent",
        "executionId": number,
        "accelerated": 0,
        "total": 1,
        "reasons": [REASON],
        "nodes": [node | {"reasons": [REASON], "functions": []}],
        "time": _START + number,
    }
