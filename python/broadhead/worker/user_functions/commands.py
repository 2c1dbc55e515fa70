"""The functions of an operator as PySpark's worker reads them, in the running version's form."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, NamedTuple

from broadhead.worker.user_functions.command_bytes import (
    conf_source,
    write_bool,
    write_bytes,
    write_conf,
    write_int,
    write_long,
    write_text,
)
from broadhead.worker.user_functions.pyspark_names import PythonEvalType

if TYPE_CHECKING:
    from broadhead.plan.python_nodes import PythonCall, PythonCalls

WITHOUT_NAMES = frozenset(
    {
        PythonEvalType.SQL_MAP_PANDAS_ITER_UDF,
        PythonEvalType.SQL_MAP_ARROW_ITER_UDF,
        PythonEvalType.SQL_GROUPED_MAP_PANDAS_UDF,
        PythonEvalType.SQL_COGROUPED_MAP_PANDAS_UDF,
        getattr(PythonEvalType, "SQL_GROUPED_MAP_ARROW_UDF", None),
        getattr(PythonEvalType, "SQL_COGROUPED_MAP_ARROW_UDF", None),
        getattr(PythonEvalType, "SQL_GROUPED_MAP_PANDAS_ITER_UDF", None),
        getattr(PythonEvalType, "SQL_GROUPED_MAP_ARROW_ITER_UDF", None),
    }
)
"""Kinds whose arguments have no names; before Spark 4.2 their form has no room for them.

Spark 3.5 has room for none."""


class Evaluation(NamedTuple):
    """What PySpark's worker makes of functions: how to load, to compute and to dump batches."""

    function: Any
    deserializer: Any
    serializer: Any


def read_functions(functions: PythonCalls, version: tuple[int, ...]) -> Evaluation:
    """The evaluation by `pyspark.worker.read_udfs` of the running version."""
    from pyspark import worker

    kind = functions.eval_type
    if version >= (4, 2):
        conf = worker.RunnerConf(conf_source(_runner_conf(functions), version))
        input_type = {"input_type": functions.input_schema}
        eval_conf = worker.EvalConf(conf_source(input_type, version))
        source = _infos(functions) if version >= (4, 3) else _stream(functions, version)
        found = worker.read_udfs(worker.pickleSer, source, kind, conf, eval_conf)
    else:
        found = worker.read_udfs(worker.pickleSer, _stream(functions, version), kind)
    function, _, deserializer, serializer = found
    return Evaluation(function, deserializer, serializer)


def _runner_conf(functions: PythonCalls) -> dict[str, str]:
    conf = dict(functions.conf)
    if functions.profiler is not None:
        conf["spark.sql.pyspark.udf.profiler"] = functions.profiler
    return conf


def _infos(functions: PythonCalls) -> list[Any]:
    """The functions as Spark 4.3 describes them."""
    from pyspark.worker_message import UDFInfo

    return [
        UDFInfo(
            udfs=[memoryview(command) for command in call.commands],
            args=[argument.input for argument in call.arguments if argument.name is None],
            kwargs={a.name: a.input for a in call.arguments if a.name is not None},
            result_id=call.result_id,
        )
        for call in functions.calls
    ]


def _stream(functions: PythonCalls, version: tuple[int, ...]) -> io.BytesIO:
    """The bytes that Spark's JVM writes to a worker, up to 4.2."""
    stream = io.BytesIO()
    kind = functions.eval_type
    if version < (4, 2):
        if kind != PythonEvalType.SQL_BATCHED_UDF:
            write_conf(functions.conf, stream)
        if kind == PythonEvalType.SQL_ARROW_BATCHED_UDF and version >= (4, 1):
            write_text(functions.input_schema, stream)
        if version >= (4, 0):
            write_bool(functions.profiler is not None, stream)
        if functions.profiler is not None:
            write_text(functions.profiler, stream)
    write_int(len(functions.calls), stream)
    named = version >= (4, 2) or (version >= (4, 0) and kind not in WITHOUT_NAMES)
    with_id = version >= (4, 2) or functions.profiler is not None
    for call in functions.calls:
        _write_call(call, stream, named=named, with_id=with_id)
    stream.seek(0)
    return stream


def _write_call(call: PythonCall, stream: io.BytesIO, *, named: bool, with_id: bool) -> None:
    write_int(len(call.arguments), stream)
    for argument in call.arguments:
        write_int(argument.input, stream)
        if named:
            write_bool(argument.name is not None, stream)
            if argument.name is not None:
                write_text(argument.name, stream)
    write_int(len(call.commands), stream)
    for command in call.commands:
        write_bytes(command, stream)
    if with_id:
        write_long(call.result_id, stream)
