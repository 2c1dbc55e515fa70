"""Calls of Spark's own code, for expressions that the engine does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.functions.operands import arrays
from broadhead.functions.registry import Function

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels
    from broadhead.types import DataType

SPARK_EXPRESSION = "SparkExpression"
"""The class of the wire format; its field `number` is that of the expression in the fragment."""


class SparkExpressions(Protocol):
    """Spark's evaluation of the fragment's expressions."""

    def values(self, number: int, inputs: pa.RecordBatch, data_type: pa.DataType) -> pa.Array:
        """The value of expression `number` for each row of its inputs.

        Raises `WouldRaise` if Spark raises for a row, `EngineLimit` if the JVM has stopped.
        """

    def groups(
        self, number: int, rows: pa.RecordBatch, size: int, schema: pa.Schema
    ) -> pa.RecordBatch:
        """The row of aggregate `number` for each of `size` groups, whose rows follow each other.

        The columns of `rows` are the number of the group (int64, from 0) and the aggregate's
        inputs. Raises as `values` does.
        """


def _evaluate(
    k: Kernels,
    *inputs: Column,
    returns: DataType,
    number: int,
    spark_expressions: SparkExpressions | None,
) -> Column:
    """Spark's values, for any columns and result: on a GPU they are copied to the host and back."""
    if spark_expressions is None:
        raise EngineLimit("there is no Spark to evaluate an expression")
    data = arrays(k, inputs)
    columns = [
        k.columns.to_arrow(array, column.type) for array, column in zip(data, inputs, strict=True)
    ]
    batch = pa.RecordBatch.from_arrays(columns, [str(i) for i in range(len(columns))])
    values = spark_expressions.values(number, batch, arrow_type(returns))
    return Column(k.columns.from_arrow(values, returns), returns)


SPARK_CALLS = {
    SPARK_EXPRESSION: Function(
        name=SPARK_EXPRESSION.lower(),
        spark=SPARK_EXPRESSION,
        signatures=(),
        raises=True,
        costly=True,
        evaluate=_evaluate,
        options=frozenset({"returns", "number", "spark_expressions"}),
    )
}
"""The calls of Spark's own code, by name."""
