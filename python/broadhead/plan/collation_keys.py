"""Strings that have a collation as binaries that compare as Spark compares the strings.

The engine knows no collations: the JVM gives each string its key, whose bytes are equal, or less,
exactly where the strings are. Whatever compares such strings compares their keys.
"""

from __future__ import annotations

from dataclasses import replace

from broadhead.plan.expressions import Call, Expression, Literal
from broadhead.types import BINARY, ArrayType, CollatedType, DataType, MapType, StructType

COLLATION_KEY = "CollationKey"
"""Spark's function of one string; here also of nested values that hold strings."""

_EQUALITIES = frozenset({"EqualTo", "EqualNullSafe", "In"})
_ORDERS = frozenset({"LessThan", "LessThanOrEqual", "GreaterThan", "GreaterThanOrEqual"})


def keyed_type(type: DataType, *, ordering: bool) -> DataType:
    """The type with a binary for each string that is compared by its key.

    `ordering`: whether it is to be known which string is less; for mere equality, bytes do for
    some collations.
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
    """The value with the keys of its strings, where they have any."""
    keyed = keyed_type(value.type, ordering=ordering)
    if keyed == value.type:
        return value
    return Call(COLLATION_KEY, keyed, value.nullable, (value,))


def compared_by_keys(call: Call) -> Call:
    """The call, where it compares strings that have a collation, with their keys."""
    if call.name == "InSet" and isinstance(call.children[0].type, CollatedType):
        (value,) = call.children
        items = [Literal(item, value.type) for item in dict(call.fields)["hset"]]
        call = replace(call, name="In", children=(value, *items), fields=())
    ordering = call.name in _ORDERS
    if not ordering and call.name not in _EQUALITIES:
        return call
    children = tuple(collation_keys(child, ordering=ordering) for child in call.children)
    return replace(call, children=children)
