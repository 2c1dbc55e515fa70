"""Calls on nested values that the engine adds to a plan."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import arrays
from broadhead.functions.registry import Function
from broadhead.plan.expressions import COMPARABLE, Call, Expression
from broadhead.types import BINARY, ArrayType, StructType

if TYPE_CHECKING:
    from collections.abc import Callable

    from broadhead.kernels.interface import Kernels
    from broadhead.types import DataType

_LAYOUT = "Layout"


def in_one_layout(call: Call) -> Call:
    """The call, which chooses between values, with values of its own type if that is nested.

    Spark treats types as equal that differ only in nested nullability; Arrow does not.
    """
    if not call.type.is_nested:
        return call
    return replace(call, children=tuple(_as(call.type, child) for child in call.children))


def _as(data_type: DataType, value: Expression) -> Expression:
    if not value.type.is_nested or value.type == data_type:
        return value
    return Call(_LAYOUT, data_type, value.nullable, (value,))


def _comparable(k: Kernels, operand: Column) -> Column:
    """The binary of a nested key."""
    assert isinstance(operand.type, ArrayType | StructType), "Spark has no other nested keys"
    return Column(k.keys.comparable(operand.data, operand.type), BINARY)


def _layout(k: Kernels, operand: Column, *, returns: DataType) -> Column:
    """A nested value converted to a type that differs only in nullability."""
    (data,) = arrays(k, [operand])
    return Column(k.columns.from_arrow(k.columns.to_arrow(data, returns), returns), returns)


def _function(call: str, evaluate: Callable[..., Column], *options: str) -> Function:
    return Function(
        name=call.lower(),
        spark=call,
        signatures=(),
        evaluate=evaluate,
        options=frozenset(options),
    )


ENGINE_FUNCTIONS = {
    COMPARABLE: _function(COMPARABLE, _comparable),
    _LAYOUT: _function(_LAYOUT, _layout, "returns"),
}
"""The calls that are not functions of Spark, by name."""
