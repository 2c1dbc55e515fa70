"""A table function as PySpark's worker reads it, in the running version's form."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from broadhead.worker.user_functions.command_bytes import (
    conf_source,
    write_bool,
    write_bytes,
    write_conf,
    write_int,
    write_text,
)
from broadhead.worker.user_functions.commands import Evaluation
from broadhead.worker.user_functions.pyspark_names import PythonEvalType

if TYPE_CHECKING:
    from broadhead.plan.python_nodes import PythonCalls, TableFunction


def read_table_function(
    functions: PythonCalls, table: TableFunction, version: tuple[int, ...]
) -> Evaluation:
    """The evaluation by `pyspark.worker.read_udtf` of the running version."""
    from pyspark import worker

    kind = functions.eval_type
    if version >= (4, 2):
        eval_conf = {"input_type": functions.input_schema}
        offsets = _table_offsets(functions, table)
        eval_conf["table_arg_offsets"] = ",".join(map(str, offsets))
        source = _info(functions, table) if version >= (4, 3) else _stream(functions, table)
        found = worker.read_udtf(
            worker.pickleSer,
            source,
            kind,
            worker.RunnerConf(conf_source(functions.conf, version)),
            worker.EvalConf(conf_source(eval_conf, version)),
        )
    else:
        found = worker.read_udtf(worker.pickleSer, _older_stream(functions, table, version), kind)
    function, _, deserializer, serializer = found
    return Evaluation(function, deserializer, serializer)


def _table_offsets(functions: PythonCalls, table: TableFunction) -> list[int]:
    """The inputs that are tables."""
    (call,) = functions.calls
    pairs = zip(call.arguments, table.tables, strict=True)
    return [argument.input for argument, is_table in pairs if is_table]


def _info(functions: PythonCalls, table: TableFunction) -> Any:
    """The function as Spark 4.3 describes it."""
    from pyspark.worker_message import UDTFInfo

    (call,) = functions.calls
    result = table.analyze_result
    return UDTFInfo(
        args=[argument.input for argument in call.arguments if argument.name is None],
        kwargs={a.name: a.input for a in call.arguments if a.name is not None},
        partition_child_indexes=list(table.partition_columns),
        pickled_analyze_result=None if result is None else memoryview(result),
        handler=memoryview(call.commands[0]),
        return_type=table.return_type,
        name=call.name,
    )


def _older_stream(
    functions: PythonCalls, table: TableFunction, version: tuple[int, ...]
) -> io.BytesIO:
    """The bytes that Spark's JVM writes to a worker, up to 4.1: settings come first."""
    stream = io.BytesIO()
    if functions.eval_type != PythonEvalType.SQL_TABLE_UDF:
        write_conf(functions.conf, stream)
        if functions.eval_type != PythonEvalType.SQL_ARROW_TABLE_UDF:
            offsets = _table_offsets(functions, table)
            write_int(len(offsets), stream)
            for offset in offsets:
                write_int(offset, stream)
        elif version >= (4, 1):
            write_text(functions.input_schema, stream)
    written = _stream(functions, table) if version >= (4, 0) else _stream_of_3_5(functions, table)
    stream.write(written.getvalue())
    stream.seek(0)
    return stream


def _stream(functions: PythonCalls, table: TableFunction) -> io.BytesIO:
    """The bytes of the function alone, as up to 4.2."""
    stream = io.BytesIO()
    (call,) = functions.calls
    write_int(len(call.arguments), stream)
    for argument in call.arguments:
        write_int(argument.input, stream)
        write_bool(argument.name is not None, stream)
        if argument.name is not None:
            write_text(argument.name, stream)
    write_int(len(table.partition_columns), stream)
    for ordinal in table.partition_columns:
        write_int(ordinal, stream)
    write_bool(table.analyze_result is not None, stream)
    if table.analyze_result is not None:
        write_bytes(table.analyze_result, stream)
    write_bytes(call.commands[0], stream)
    write_text(table.return_type, stream)
    write_text(call.name, stream)
    stream.seek(0)
    return stream


def _stream_of_3_5(functions: PythonCalls, table: TableFunction) -> io.BytesIO:
    """The bytes of the function alone; Spark 3.5 has no names and no `analyze`."""
    stream = io.BytesIO()
    (call,) = functions.calls
    write_int(len(call.arguments), stream)
    for argument in call.arguments:
        write_int(argument.input, stream)
    write_bytes(call.commands[0], stream)
    write_text(table.return_type, stream)
    return stream
