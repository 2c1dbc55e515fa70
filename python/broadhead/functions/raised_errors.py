"""Errors that a query asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.errors import WouldRaise
from broadhead.functions.operands import arrays, nulls
from broadhead.functions.registry import ATOMIC, STRING, function
from broadhead.registry import Signature

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels
    from broadhead.types import DataType


@function(
    "raise_error",
    spark="RaiseError",
    signatures=[Signature((STRING,), ATOMIC | {"void"})],
    fields={"dataType": "any"},
    raises=True,
    note="in branches, also of `assert_true`; Spark raises the error for the rows that reach it",
)
def raise_error(k: Kernels, condition: Column, *, returns: DataType) -> Column:
    """No value: each row that reaches it is an error.

    >>> SELECT if(1 < 2, 'fine', raise_error('no'))
    fine
    """
    (data,) = arrays(k, [condition])
    if k.columns.length(data):
        raise WouldRaise("USER_RAISED_EXCEPTION")
    return Column(nulls(k, returns, 0), returns)
