"""The binary of a nested key, which the engine puts into a plan by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.registry import Function
from broadhead.plan.nested_keys import COMPARABLE
from broadhead.types import BINARY, ArrayType, StructType

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels


def _evaluate(k: Kernels, operand: Column) -> Column:
    assert isinstance(operand.type, ArrayType | StructType), "Spark has no other nested keys"
    return Column(k.keys.comparable(operand.data, operand.type), BINARY)


ENGINE_FUNCTIONS = {
    COMPARABLE: Function(
        name="comparable",
        spark=COMPARABLE,
        signatures=(),
        fields={},
        raises=False,
        note="",
        evaluate=_evaluate,
        options=frozenset(),
    )
}
"""What is no function of Spark's, by the names of its calls."""
