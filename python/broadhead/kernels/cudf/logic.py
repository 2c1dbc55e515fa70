"""Three-valued logic and choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pylibcudf as plc
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.unary import UnaryOperator

from broadhead.kernels.cudf import physical
from broadhead.kernels.cudf.physical import (
    BOOL,
    INT32,
    NESTED,
    Column,
    Data,
    any_true,
    choose,
    constant,
    expand,
    is_scalar,
    length_of,
    null_scalar,
    python_value,
    same_type,
    test,
)
from broadhead.kernels.cudf.rows import take_rows

if TYPE_CHECKING:
    from collections.abc import Sequence


def and_(left: Data, right: Data) -> Column:
    """Kleene and."""
    return test(left, BinaryOperator.NULL_LOGICAL_AND, right)


def or_(left: Data, right: Data) -> Column:
    """Kleene or."""
    return test(left, BinaryOperator.NULL_LOGICAL_OR, right)


def not_(data: Column) -> Column:
    """Not; null stays null."""
    return plc.unary.unary_operation(data, UnaryOperator.NOT)


def is_null(data: Column) -> Column:
    """Mask of the nulls (NaN is not null)."""
    return plc.unary.is_null(data)


def is_valid(data: Column) -> Column:
    """Mask of the values that are not null."""
    return plc.unary.is_valid(data)


def is_nan(data: Column) -> Column:
    """Mask of the NaNs; false for null."""
    return physical.is_true(plc.unary.is_nan(data))


def is_true(data: Column) -> Column:
    """Mask: null becomes false."""
    return physical.is_true(data)


def any(mask: Column) -> bool:
    """Whether a row is true (nulls are not)."""
    return any_true(mask)


def all(mask: Column) -> bool:
    """Whether every row is true (nulls are not); true for no rows."""
    if mask.null_count():
        return False
    if mask.size() == 0:
        return True
    return bool(python_value(plc.reduce.reduce(mask, plc.aggregation.all(), BOOL)))


def if_else(condition: Column, then: Data, otherwise: Data) -> Column:
    """`then` where true, `otherwise` where false or null."""
    then, otherwise = same_type(then, otherwise)
    return choose(condition, then, otherwise)


def coalesce(data: Sequence[Data]) -> Column:
    """The first value that is not null."""
    length = length_of(*data)
    first, *rest = same_type(*data)
    result = expand(first, length)
    for other in rest:
        if not result.null_count():
            break
        if result.type().id() in NESTED:
            result = choose(is_valid(result), result, other)
        elif not is_scalar(other) or other.is_valid():
            result = plc.replace.replace_nulls(result, other)
    return result


def null_where(data: Column, mask: Column) -> Column:
    """`data` with null where `mask` is true."""
    if data.type().id() not in NESTED:
        return physical.null_where(data, mask)
    rows = plc.filling.sequence(data.size(), constant(0, INT32), constant(1, INT32))
    return take_rows([data], choose(mask, null_scalar(INT32), rows))[0]
