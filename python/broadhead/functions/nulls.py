"""Functions about nulls and NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions import branches
from broadhead.functions.operands import arrays
from broadhead.functions.registry import ANY, BOOLEAN, FLOATING, NESTED, SAME, STRING, function
from broadhead.plan import known_functions
from broadhead.registry import Signature
from broadhead.types import BOOLEAN as BOOLEAN_TYPE
from broadhead.types import INTEGER

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels
    from broadhead.types import DataType

ARRAY = frozenset({"array"})
ONE_OF_ANY = (Signature((ANY | NESTED,), BOOLEAN),)


@function("isnull", spark="IsNull", signatures=ONE_OF_ANY, cheap=ANY | NESTED)
def is_null(k: Kernels, operand: Column) -> Column:
    """Whether a value is null.

    >>> SELECT NULL IS NULL
    true
    """
    return Column(k.logic.is_null(operand.data), BOOLEAN_TYPE)


@function("isnotnull", spark=known_functions.IS_NOT_NULL, signatures=ONE_OF_ANY, cheap=ANY | NESTED)
def is_not_null(k: Kernels, operand: Column) -> Column:
    """Whether a value is not null.

    >>> SELECT 1 IS NOT NULL
    true
    """
    return Column(k.logic.is_valid(operand.data), BOOLEAN_TYPE)


@function("isnan", spark="IsNaN", signatures=[Signature((FLOATING,), BOOLEAN)])
def is_nan(k: Kernels, operand: Column) -> Column:
    """Whether a float is NaN; false for null.

    >>> SELECT isnan(double('NaN'))
    true
    """
    return Column(k.logic.is_nan(operand.data), BOOLEAN_TYPE)


@function(
    "coalesce",
    spark=known_functions.COALESCE,
    signatures=[Signature((ANY | NESTED, SAME), ANY | NESTED, variadic=True)],
    by_branch=branches.coalesce,
)
def coalesce(k: Kernels, *operands: Column, returns: DataType) -> Column:
    """The first value that is not null.

    >>> SELECT coalesce(NULL, 2, 3)
    2
    """
    return Column(k.logic.coalesce([operand.data for operand in operands]), returns)


@function("nanvl", spark="NaNvl", signatures=[Signature((FLOATING, SAME), FLOATING)])
def nanvl(k: Kernels, value: Column, otherwise: Column, *, returns: DataType) -> Column:
    """The first value, or the second where the first is NaN.

    >>> SELECT nanvl(double('NaN'), 1.5D)
    1.5
    """
    data, _ = arrays(k, [value, otherwise])
    return Column(k.logic.if_else(k.logic.is_nan(data), otherwise.data, data), returns)


@function(
    "normalize_nan_and_zero",
    spark="NormalizeNaNAndZero",
    signatures=[Signature((FLOATING | ARRAY,), FLOATING | ARRAY)],
    note="added by Spark around floating-point keys",
)
def normalize_nan_and_zero(k: Kernels, operand: Column, *, returns: DataType) -> Column:
    """The float with one NaN for all NaNs, and 0.0 for -0.0; also within arrays.

    >>> SELECT d FROM VALUES (-0.0D), (0.0D) AS t(d) GROUP BY d
    0.0
    """
    return Column(k.compare.normalize(operand.data), returns)


@function(
    "at_least_n_non_nulls",
    spark="AtLeastNNonNulls",
    signatures=[Signature((ANY, ANY), BOOLEAN, variadic=True)],
    fields={"n": "any"},
    note="`DataFrame.dropna`",
)
def at_least_n_non_nulls(k: Kernels, *operands: Column, n: int) -> Column:
    """Whether at least `n` values are neither null nor NaN.

    >>> SELECT id FROM range(3) WHERE id IS NOT NULL
    0
    """
    count = None
    for operand, data in zip(operands, arrays(k, operands), strict=True):
        present = k.logic.is_valid(data)
        if operand.type.is_floating:
            present = k.logic.and_(present, k.logic.not_(k.logic.is_nan(data)))
        one = k.cast.widen(present, INTEGER)
        count = one if count is None else k.arithmetic.add(count, one)
    needed = k.columns.scalar(n, INTEGER)
    return Column(k.compare.compare("less_equal", needed, count), BOOLEAN_TYPE)


@function(
    "empty2null",
    spark="Empty2Null",
    signatures=[Signature((STRING,), STRING)],
    note="added by Spark around partition columns of writes",
)
def empty_to_null(k: Kernels, operand: Column) -> Column:
    """Null for an empty string, as `nullif(s, '')`.

    >>> SELECT nullif('', '')
    NULL
    """
    (data,) = arrays(k, [operand])
    empty = k.compare.compare("equal", data, k.columns.scalar("", operand.type))
    return Column(k.logic.null_where(data, k.logic.is_true(empty)), operand.type)
