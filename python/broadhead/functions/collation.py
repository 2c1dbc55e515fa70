"""The collation keys of strings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import arrays
from broadhead.functions.registry import BINARY, COLLATED_STRING, function
from broadhead.plan import known_functions
from broadhead.registry import Signature

if TYPE_CHECKING:
    from broadhead.kernels.interface import Collations, Kernels
    from broadhead.types import DataType


# Spark adds it to the keys of joins; SQL has no name for it.
@function(
    "collation_key",
    spark=known_functions.COLLATION_KEY,
    signatures=[Signature((COLLATED_STRING,), BINARY)],
    note="join keys of strings with a collation",
)
def collation_key(
    k: Kernels, operand: Column, *, returns: DataType, collations: Collations
) -> Column:
    """The collation key of a string: its bytes have the order of the collation.

    >>> SELECT 'a' COLLATE UTF8_LCASE = 'A'
    true
    """
    (data,) = arrays(k, [operand])
    return Column(k.keys.collated(data, operand.type, returns, collations), returns)
