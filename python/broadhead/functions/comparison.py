"""Comparison in Spark's order, where NaN equals NaN and is the greatest; IN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.columns import Column
from broadhead.functions.operands import row_count
from broadhead.functions.registry import ANY, BOOLEAN, FIXED_WIDTH, SAME, function
from broadhead.plan import known_functions
from broadhead.registry import Signature
from broadhead.types import BOOLEAN as BOOLEAN_TYPE

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels

COMPARISON = (Signature((ANY, SAME), BOOLEAN),)


@function(
    "=",
    spark=known_functions.EQUAL_TO,
    signatures=COMPARISON,
    cheap=FIXED_WIDTH,
    null_intolerant=True,
)
def equal_to(k: Kernels, left: Column, right: Column) -> Column:
    """Whether two values are equal; null where one is null.

    >>> SELECT 1 = 2
    false
    """
    return Column(k.compare.compare("equal", left.data, right.data), BOOLEAN_TYPE)


@function("<=>", spark=known_functions.EQUAL_NULL_SAFE, signatures=COMPARISON)
def equal_null_safe(k: Kernels, left: Column, right: Column) -> Column:
    """Whether two values are equal, with nulls equal to each other and to nothing else.

    >>> SELECT NULL <=> NULL
    true
    """
    return Column(k.compare.null_safe_equal(left.data, right.data), BOOLEAN_TYPE)


@function(
    "<",
    spark=known_functions.LESS_THAN,
    signatures=COMPARISON,
    cheap=FIXED_WIDTH,
    null_intolerant=True,
)
def less_than(k: Kernels, left: Column, right: Column) -> Column:
    """Whether the left value is less than the right one.

    >>> SELECT 1 < 2
    true
    """
    return Column(k.compare.compare("less", left.data, right.data), BOOLEAN_TYPE)


@function(
    "<=",
    spark=known_functions.LESS_THAN_OR_EQUAL,
    signatures=COMPARISON,
    cheap=FIXED_WIDTH,
    null_intolerant=True,
)
def less_than_or_equal(k: Kernels, left: Column, right: Column) -> Column:
    """Whether the left value is less than the right one or equal to it.

    >>> SELECT 2 <= 2
    true
    """
    return Column(k.compare.compare("less_equal", left.data, right.data), BOOLEAN_TYPE)


@function(
    ">",
    spark=known_functions.GREATER_THAN,
    signatures=COMPARISON,
    cheap=FIXED_WIDTH,
    null_intolerant=True,
)
def greater_than(k: Kernels, left: Column, right: Column) -> Column:
    """Whether the left value is greater than the right one.

    >>> SELECT 2 > 1
    true
    """
    return Column(k.compare.compare("less", right.data, left.data), BOOLEAN_TYPE)


@function(
    ">=",
    spark=known_functions.GREATER_THAN_OR_EQUAL,
    signatures=COMPARISON,
    cheap=FIXED_WIDTH,
    null_intolerant=True,
)
def greater_than_or_equal(k: Kernels, left: Column, right: Column) -> Column:
    """Whether the left value is greater than the right one or equal to it.

    >>> SELECT 2 >= 2
    true
    """
    return Column(k.compare.compare("less_equal", right.data, left.data), BOOLEAN_TYPE)


@function(
    "in",
    spark=known_functions.IN,
    signatures=[Signature((ANY, SAME, SAME), BOOLEAN, variadic=True)],
    cheap=FIXED_WIDTH,
)
def in_(k: Kernels, value: Column, *items: Column) -> Column:
    """Whether a value equals one of a list; null if that depends on a null.

    >>> SELECT 1 IN (1, 2)
    true
    """
    rows = row_count(k, [value, *items])
    data = k.columns.full(value.data, rows)
    result = k.compare.compare("equal", data, items[0].data)
    for item in items[1:]:
        result = k.logic.or_(result, k.compare.compare("equal", data, item.data))
    return Column(result, BOOLEAN_TYPE)


@function(
    "in",
    spark=known_functions.IN_SET,
    signatures=[Signature((ANY,), BOOLEAN)],
    fields={"hset": "any"},
    cheap=FIXED_WIDTH,
)
def in_set(k: Kernels, value: Column, *, hset: tuple[Any, ...]) -> Column:
    """Whether a value equals one of a long list of constants; null if that depends on a null.

    >>> SELECT 3 IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
    true
    """
    constants = [item for item in hset if item is not None]
    found = k.compare.is_in(value.data, constants, value.type)
    unknown = k.logic.is_null(value.data) if len(constants) == len(hset) else k.logic.not_(found)
    return Column(k.logic.null_where(found, unknown), BOOLEAN_TYPE)
