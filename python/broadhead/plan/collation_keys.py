"""Conversion of strings with a collation to binaries with the order of Spark's collation.

The engine has no collations: the JVM computes a key for each string, and the bytes of the keys have
the equality and order of the strings. All comparisons of such strings compare their keys.
"""

from __future__ import annotations

from dataclasses import replace

from broadhead.plan.expressions import Call, Expression, Literal
from broadhead.plan.known_functions import (
    COLLATION_KEY,
    EQUAL_NULL_SAFE,
    EQUAL_TO,
    GREATER_THAN,
    GREATER_THAN_OR_EQUAL,
    IN,
    IN_SET,
    LESS_THAN,
    LESS_THAN_OR_EQUAL,
)
from broadhead.types import BINARY, ArrayType, CollatedType, DataType, MapType, StructType

_EQUALITIES = frozenset({EQUAL_TO, EQUAL_NULL_SAFE, IN})
_ORDERS = frozenset({LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL})


def keyed_type(type: DataType, *, ordering: bool) -> DataType:
    """The type with a binary for each string that is compared by its key.

    `ordering`: whether the order is needed; for mere equality, some collations need no keys.
    """
    match type:
        case CollatedType(binary_equality=binary_equality):
            return BINARY if ordering or not binary_equality else type
        case ArrayType(element=element):
            return replace(type, element=keyed_type(element, ordering=ordering))
        case MapType(key=key, value=value):
            keys, values = (keyed_type(part, ordering=ordering) for part in (key, value))
            return replace(type, key=keys, value=values)
        case StructType(fields=fields):
            return replace(
                type,
                fields=tuple(
                    replace(field, type=keyed_type(field.type, ordering=ordering))
                    for field in fields
                ),
            )
    return type


def collation_keys(value: Expression, *, ordering: bool) -> Expression:
    """The value with keys for its strings, if there are any."""
    keyed = keyed_type(value.type, ordering=ordering)
    if keyed == value.type:
        return value
    return Call(COLLATION_KEY, keyed, value.nullable, (value,))


def compared_by_keys(call: Call) -> Call:
    """The call, with keys for its arguments if it compares strings with a collation."""
    if call.name == IN_SET and isinstance(call.children[0].type, CollatedType):
        (value,) = call.children
        items = [Literal(item, value.type) for item in dict(call.fields)["hset"]]
        call = replace(call, name=IN, children=(value, *items), fields=())
    ordering = call.name in _ORDERS
    if not ordering and call.name not in _EQUALITIES:
        return call
    children = tuple(collation_keys(child, ordering=ordering) for child in call.children)
    return replace(call, children=children)
