"""Functions that create structs and read their fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import arrays, row_count
from broadhead.functions.registry import ANY, NESTED, STRING, function
from broadhead.registry import Signature
from broadhead.types import StructType

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels
    from broadhead.types import DataType

STRUCT = frozenset({"struct", "collated_struct"})


@function(
    "get_struct_field",
    spark="GetStructField",
    signatures=[Signature((STRUCT,), ANY | NESTED)],
    fields={"ordinal": "any", "name": "any"},
    note="`s.f`",
)
def get_struct_field(k: Kernels, struct: Column, *, ordinal: int) -> Column:
    """A field of a struct; null where the struct is null.

    >>> SELECT s.b FROM (SELECT named_struct('a', 1, 'b', 'x') AS s)
    x
    """
    assert isinstance(struct.type, StructType), "the signature takes nothing else"
    (data,) = arrays(k, [struct])
    return Column(k.nested.fields(data, struct.type)[ordinal], struct.type.fields[ordinal].type)


# Names and values by turns; the names are in the result's type.
@function(
    "named_struct",
    spark="CreateNamedStruct",
    signatures=[Signature((STRING, ANY | NESTED), STRUCT, variadic=True)],
)
def named_struct(k: Kernels, *operands: Column, returns: DataType) -> Column:
    """A struct of values; it is not null if they are.

    >>> SELECT named_struct('a', 1, 'b', 'x')
    {1, x}
    """
    assert isinstance(returns, StructType), "the signature gives nothing else"
    rows = row_count(k, operands)
    fields = [k.columns.full(value.data, rows) for value in operands[1::2]]
    return Column(k.nested.struct(fields, returns), returns)
