"""Elementary functions of doubles: libcudf's, and CUDA's own where libcudf has none.

Their last digits are not those of Java's StrictMath, but their special values are.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import cupy
import numpy as np
import pylibcudf as plc
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.unary import UnaryOperator

from broadhead.kernels.cudf.physical import FLOAT64, binary, expand, length_of

if TYPE_CHECKING:
    from broadhead.kernels.cudf.physical import Column, Data

_THREADS = 256
_WIDTH = 8

# Java's pow of 1 or -1 and an infinity is NaN, and that of 1 and NaN too.
_SOURCE = r"""
#define ROW (blockIdx.x * (long long)blockDim.x + threadIdx.x)
#define OF_ONE(NAME) \
  extern "C" __global__ void of_##NAME(double* data, long long rows) { \
    if (ROW < rows) data[ROW] = NAME(data[ROW]); \
  }
#define OF_TWO(NAME) \
  extern "C" __global__ void of_##NAME( \
      double* result, const double* left, const double* right, long long rows) { \
    if (ROW < rows) result[ROW] = NAME(left[ROW], right[ROW]); \
  }

__device__ double power(double base, double exponent) {
  double none = exponent - exponent;  // NaN of NaN and of an infinity
  return fabs(base) == 1.0 && none != 0.0 ? none : pow(base, exponent);
}

// CUDA's hypot may give infinity next to the largest double, where only the larger side counts.
__device__ double longest(double left, double right) {
  double most = fmax(fabs(left), fabs(right)), least = fmin(fabs(left), fabs(right));
  return least < most * 0x1p-27 ? most : hypot(left, right);
}

OF_ONE(expm1)
OF_ONE(log10)
OF_ONE(log1p)
OF_TWO(longest)
OF_TWO(power)
"""


@cache
def _module() -> Any:
    return cupy.RawModule(code=_SOURCE, options=("--std=c++17",))


def _launch(name: str, rows: int, *columns: Column) -> None:
    """Run a kernel of the source for each row of the columns."""
    if rows == 0:
        return
    pointers = [np.uint64(c.data().ptr + c.offset() * _WIDTH) for c in columns]
    # the stream that pylibcudf uses in this thread
    with cupy.cuda.Stream.ptds:
        kernel = _module().get_function(f"of_{name}")
        kernel((-(-rows // _THREADS),), (_THREADS,), (*pointers, np.int64(rows)))


def _of_one(name: str, data: Column) -> Column:
    result = data.copy()
    _launch(name, int(result.size()), result)
    return result


def _of_two(name: str, left: Data, right: Data) -> Column:
    rows = length_of(left, right)
    first, second = expand(left, rows), expand(right, rows)
    # Its nulls are those of the result, whose values are written over the sums.
    result = binary(first, BinaryOperator.ADD, second, FLOAT64)
    _launch(name, rows, result, first, second)
    return result


def exp(data: Column) -> Column:
    """E to the power of the number."""
    return plc.unary.unary_operation(data, UnaryOperator.EXP)


def expm1(data: Column) -> Column:
    """E to the power of the number, minus 1."""
    return _of_one("expm1", data)


def log(data: Column) -> Column:
    """Natural logarithm, -Infinity of 0."""
    return plc.unary.unary_operation(data, UnaryOperator.LOG)


def log10(data: Column) -> Column:
    """Logarithm to the base 10, -Infinity of 0."""
    return _of_one("log10", data)


def log1p(data: Column) -> Column:
    """Natural logarithm of 1 plus the number, -Infinity of -1."""
    return _of_one("log1p", data)


def pow(base: Data, exponent: Data) -> Column:
    """The base to the power of the exponent, NaN of 1 and an infinity."""
    return _of_two("power", base, exponent)


def cbrt(data: Column) -> Column:
    """Cube root."""
    return plc.unary.unary_operation(data, UnaryOperator.CBRT)


def hypot(left: Data, right: Data) -> Column:
    """Square root of the sum of both squares."""
    return _of_two("longest", left, right)


def sinh(data: Column) -> Column:
    """Hyperbolic sine."""
    return plc.unary.unary_operation(data, UnaryOperator.SINH)


def cosh(data: Column) -> Column:
    """Hyperbolic cosine."""
    return plc.unary.unary_operation(data, UnaryOperator.COSH)


def tanh(data: Column) -> Column:
    """Hyperbolic tangent."""
    return plc.unary.unary_operation(data, UnaryOperator.TANH)


def asin(data: Column) -> Column:
    """Inverse sine."""
    return plc.unary.unary_operation(data, UnaryOperator.ARCSIN)


def acos(data: Column) -> Column:
    """Inverse cosine."""
    return plc.unary.unary_operation(data, UnaryOperator.ARCCOS)


def atan(data: Column) -> Column:
    """Inverse tangent."""
    return plc.unary.unary_operation(data, UnaryOperator.ARCTAN)


def atan2(y: Data, x: Data) -> Column:
    """The angle of the point (x, y)."""
    return binary(y, BinaryOperator.ATAN2, x, FLOAT64)


def sin(data: Column) -> Column:
    """Sine."""
    return plc.unary.unary_operation(data, UnaryOperator.SIN)


def cos(data: Column) -> Column:
    """Cosine."""
    return plc.unary.unary_operation(data, UnaryOperator.COS)


def tan(data: Column) -> Column:
    """Tangent."""
    return plc.unary.unary_operation(data, UnaryOperator.TAN)
