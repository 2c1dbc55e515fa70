"""Functions as PySpark's worker calls them, with its own conversions, without a JVM."""

from __future__ import annotations

import io
import json
import pickle
import struct
from collections.abc import Callable
from typing import Any

import pyarrow as pa
from pyspark import worker
from pyspark.sql import types as spark_types
from pyspark.sql.conversion import ArrowTableToRowsConversion
from pyspark.sql.pandas import serializers
from pyspark.sql.types import _parse_datatype_json_string

from broadhead.arrow_layout import arrow_type
from broadhead.tracing.signature import FunctionKind, FunctionSignature
from broadhead.types import DataType

LENGTH = struct.Struct("!i")


def spark_type(data_type: DataType) -> spark_types.DataType:
    return _parse_datatype_json_string(json.dumps(data_type.name))


def calls(function: Callable[..., Any], signature: FunctionSignature) -> Callable[..., pa.Array]:
    """What the main developer's callback does: the result of the function for a batch."""
    settings = signature.settings
    returns = spark_type(signature.returns)
    conf = {
        "spark.sql.session.timeZone": settings.time_zone,
        "spark.sql.execution.pandas.convertToArrowArraySafely": str(settings.safe).lower(),
    }
    names = [a.name for a in signature.arguments]
    offsets = [i for i, name in enumerate(names) if name is None]
    keywords = {name: i for i, name in enumerate(names) if name is not None}
    if signature.kind is FunctionKind.PLAIN:
        return lambda batch: _pickled(function, signature, batch)
    wrap, serializer = {
        FunctionKind.SCALAR_PANDAS: (worker.wrap_scalar_pandas_udf, _pandas(settings)),
        FunctionKind.SCALAR_ARROW: (
            worker.wrap_scalar_arrow_udf,
            serializers.ArrowStreamArrowUDFSerializer(settings.time_zone, True, True, True),
        ),
        FunctionKind.PLAIN_ARROW: (
            worker.wrap_arrow_batch_udf,
            serializers.ArrowBatchUDFSerializer(
                settings.time_zone,
                settings.safe,
                [spark_type(a.type) for a in signature.arguments],
                False,
                True,
            ),
        ),
    }[signature.kind]
    order, call = wrap(function, offsets, keywords, returns, conf)

    def evaluate(batch: pa.RecordBatch) -> pa.Array:
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        (columns,) = serializer.load_stream(io.BytesIO(sink.getvalue()))
        if isinstance(columns, pa.RecordBatch):
            columns = columns.columns
        out = io.BytesIO()
        serializer.dump_stream(iter([call(*[columns[i] for i in order])]), out)
        out.seek(LENGTH.size)
        with pa.ipc.open_stream(out) as reader:
            return reader.read_all().column(0).combine_chunks()

    return evaluate


def _pandas(settings: Any) -> Any:
    return serializers.ArrowStreamPandasUDFSerializer(
        settings.time_zone, settings.safe, True, True, "dict", False, True, None
    )


def _pickled(
    function: Callable[..., Any], signature: FunctionSignature, batch: pa.RecordBatch
) -> pa.Array:
    """Rows one by one, and `EvaluatePython.makeFromJava` of Spark for the results."""
    converters = [
        ArrowTableToRowsConversion._create_converter(spark_type(a.type))
        for a in signature.arguments
    ]
    columns = [
        [convert(v) for v in column.to_pylist()]
        for convert, column in zip(converters, batch.columns, strict=True)
    ]
    names = [a.name for a in signature.arguments]
    results = []
    for row in zip(*columns, strict=True):
        positional = [v for name, v in zip(names, row, strict=True) if name is None]
        keywords = {name: v for name, v in zip(names, row, strict=True) if name is not None}
        result = pickle.loads(pickle.dumps(function(*positional, **keywords)))
        results.append(_from_java(result, signature.returns))
    return pa.array(results, arrow_type(signature.returns))


def _from_java(value: Any, data_type: DataType) -> Any:
    name = data_type.name
    if value is None:
        return None
    if data_type.is_integral:
        bits = {"byte": 8, "short": 16, "integer": 32, "long": 64}[name]
        if type(value) is not int or not -(1 << 63) <= value < 1 << 63:
            return None
        half = 1 << bits - 1
        return (value + half) % (1 << bits) - half
    if data_type.is_floating:
        return value if type(value) is float else None
    if name == "boolean":
        return value if type(value) is bool else None
    if name == "string":
        assert type(value) in (str, int, bool), "Java has other texts for other values"
        return str(value).lower() if type(value) is bool else str(value)
    return value
