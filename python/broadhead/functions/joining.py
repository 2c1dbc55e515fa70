"""Functions that make one string of several values, or choose one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.errors import WouldRaise
from broadhead.functions.operands import arrays, nulls
from broadhead.functions.registry import BINARY, INT, STRING, function
from broadhead.registry import Signature
from broadhead.types import INTEGER
from broadhead.types import STRING as STRING_TYPE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels
    from broadhead.types import DataType


@function(
    "concat_ws",
    spark="ConcatWs",
    signatures=[Signature((STRING, STRING | {"array"}), STRING, variadic=True)],
)
def concat_ws(k: Kernels, separator: Column, *parts: Column) -> Column:
    """Strings and the strings of arrays with a separator between them, without nulls.

    >>> SELECT concat_ws('-', 'a', NULL, array('b', 'c'))
    a-b-c
    """
    joined = k.characters.join(separator.data, [part.data for part in parts])
    return Column(joined, STRING_TYPE)


@function(
    "elt",
    spark="Elt",
    signatures=[
        Signature((INT, STRING), STRING, variadic=True),
        Signature((INT, BINARY), BINARY, variadic=True),
    ],
    fields={"failOnError": (True, False)},
    raises=True,
)
def elt(
    k: Kernels, number: Column, *values: Column, returns: DataType, fail_on_error: bool
) -> Column:
    """The value with a number, from 1; null for other numbers, an error under ANSI.

    >>> SELECT elt(2, 'scala', 'java')
    java
    """
    numbers, *data = arrays(k, [number, *values])
    chosen = nulls(k, returns, k.columns.length(numbers))
    for index, value in enumerate(data, 1):
        here = k.compare.compare("equal", numbers, k.columns.scalar(index, INTEGER))
        chosen = k.logic.if_else(here, value, chosen)
    if fail_on_error:
        low = k.compare.compare("less", numbers, k.columns.scalar(1, INTEGER))
        high = k.compare.compare("less", k.columns.scalar(len(data), INTEGER), numbers)
        if k.logic.any(k.logic.or_(low, high)):
            raise WouldRaise("INVALID_ARRAY_INDEX")
    return Column(chosen, returns)
