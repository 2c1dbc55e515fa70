"""Numbers of buckets: of histograms, and of bitmaps that count distinct values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import arrays
from broadhead.functions.registry import function
from broadhead.registry import Signature
from broadhead.types import DOUBLE, LONG

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Data, Kernels

LONG_NAME = frozenset({"long"})
DOUBLE_NAME = frozenset({"double"})
OF_LONG = (Signature((LONG_NAME,), LONG_NAME),)
BITS = 32768
"""Bits of one of Spark's bitmaps."""
MOST_BUCKETS = 2**63 - 1
INFINITY = float("inf")


@function(
    "bitmap_bit_position", spark="BitmapExpressionUtils.bitmapBitPosition", signatures=OF_LONG
)
def bitmap_bit_position(k: Kernels, number: Column) -> Column:
    """The bit of a number in the bitmap of its bucket.

    >>> SELECT bitmap_bit_position(-123)
    123
    """
    (data,) = arrays(k, [number])
    one, bits = k.columns.scalar(1, LONG), k.columns.scalar(BITS, LONG)
    positive = k.compare.compare("less", k.columns.scalar(0, LONG), data)
    start = k.logic.if_else(positive, k.arithmetic.subtract(data, one), k.arithmetic.negate(data))
    return Column(k.arithmetic.remainder(start, bits), LONG)


@function(
    "bitmap_bucket_number", spark="BitmapExpressionUtils.bitmapBucketNumber", signatures=OF_LONG
)
def bitmap_bucket_number(k: Kernels, number: Column) -> Column:
    """The number of the bucket of a number.

    >>> SELECT bitmap_bucket_number(123)
    1
    """
    (data,) = arrays(k, [number])
    one, bits = k.columns.scalar(1, LONG), k.columns.scalar(BITS, LONG)
    positive = k.compare.compare("less", k.columns.scalar(0, LONG), data)
    before = k.arithmetic.quotient(k.arithmetic.subtract(data, one), bits)
    return Column(
        k.logic.if_else(positive, k.arithmetic.add(before, one), k.arithmetic.quotient(data, bits)),
        LONG,
    )


@function(
    "width_bucket",
    spark="WidthBucket",
    signatures=[Signature((DOUBLE_NAME, DOUBLE_NAME, DOUBLE_NAME, LONG_NAME), LONG_NAME)],
    lag=40,
)
def width_bucket(k: Kernels, value: Column, low: Column, high: Column, count: Column) -> Column:
    """The bucket of a value in a histogram of `count` buckets of one width from `low` to `high`.

    >>> SELECT width_bucket(5.3D, 0.2D, 10.6D, 5)
    3
    """
    at, start, end, buckets = arrays(k, [value, low, high, count])
    less, one = k.compare.compare, k.columns.scalar(1, LONG)
    ascending = less("less", start, end)
    # of a descending histogram, the distances from `low` are negative
    least = k.logic.if_else(ascending, start, end)
    most = k.logic.if_else(ascending, end, start)
    distance = k.logic.if_else(
        ascending, k.arithmetic.subtract(at, least), k.arithmetic.subtract(most, at)
    )
    share = k.arithmetic.multiply(k.cast.widen(buckets, DOUBLE), distance)
    bucket = k.arithmetic.divide(share, k.arithmetic.subtract(most, least))
    inside = k.arithmetic.add(k.cast.float_to_integer(bucket, LONG), one)
    before = k.logic.if_else(ascending, less("less", at, least), less("less", most, at))
    after = k.logic.if_else(ascending, less("less_equal", most, at), less("less_equal", at, least))
    beyond = k.logic.if_else(after, k.arithmetic.add(buckets, one), inside)
    result = k.logic.if_else(before, k.columns.scalar(0, LONG), beyond)
    return Column(k.logic.null_where(result, _invalid(k, at, start, end, buckets)), LONG)


def _invalid(k: Kernels, value: Array, start: Array, end: Array, buckets: Array) -> Array:
    """Mask of the rows that have no bucket: null or arguments that Spark does not take."""
    compare, none = k.compare.compare, k.columns.scalar(0, LONG)
    wrong = k.logic.or_(compare("less_equal", buckets, none), compare("equal", start, end))
    most: Data = k.columns.scalar(MOST_BUCKETS, LONG)
    wrong = k.logic.or_(wrong, compare("equal", buckets, most))
    infinity = k.columns.scalar(INFINITY, DOUBLE)
    for bound in (start, end):
        # NaN is greater than all values
        wrong = k.logic.or_(wrong, compare("less_equal", infinity, k.arithmetic.abs(bound)))
    wrong = k.logic.or_(wrong, k.logic.is_nan(value))
    missing = k.logic.is_null(value)
    for data in (start, end, buckets):
        missing = k.logic.or_(missing, k.logic.is_null(data))
    return k.logic.or_(missing, k.logic.is_true(wrong))
