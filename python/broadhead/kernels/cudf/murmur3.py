"""Murmur3 as Spark computes it, on the device: one kernel of ours for each column.

libcudf's own murmur3 combines columns in another way, and treats nulls and the ends of texts
differently.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import cupy
import numpy as np
from pylibcudf import TypeId

from broadhead.kernels.cudf.physical import DECIMAL128, INT64, Column, cast
from broadhead.types import MAX_LONG_DIGITS, DataType, DecimalType

if TYPE_CHECKING:
    from collections.abc import Callable

_THREADS = 256

_SOURCE = r"""
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

__device__ __forceinline__ u32 rotate(u32 x, int r) { return (x << r) | (x >> (32 - r)); }

__device__ __forceinline__ u32 mix(u32 h, u32 k) {
  k *= 0xCC9E2D51u;
  k = rotate(k, 15);
  k *= 0x1B873593u;
  h ^= k;
  h = rotate(h, 13);
  return h * 5u + 0xE6546B64u;
}

__device__ __forceinline__ u32 finish(u32 h, u32 length) {
  h ^= length;
  h ^= h >> 16;
  h *= 0x85EBCA6Bu;
  h ^= h >> 13;
  h *= 0xC2B2AE35u;
  return h ^ (h >> 16);
}

__device__ __forceinline__ u32 hash_int(u32 h, u32 x) { return finish(mix(h, x), 4); }

__device__ __forceinline__ u32 hash_long(u32 h, u64 x) {
  return finish(mix(mix(h, (u32)x), (u32)(x >> 32)), 8);
}

// Whole words, then each byte that is left as a signed word of its own.
template <typename Byte>
__device__ __forceinline__ u32 hash_bytes(u32 h, Byte byte, long long length) {
  long long i = 0;
  for (; i + 4 <= length; i += 4)
    h = mix(h, (u32)byte(i) | (u32)byte(i + 1) << 8 | (u32)byte(i + 2) << 16 |
               (u32)byte(i + 3) << 24);
  for (; i < length; ++i) h = mix(h, (u32)(int)(signed char)byte(i));
  return finish(h, (u32)length);
}

__device__ __forceinline__ bool is_valid(const u32* mask, long long row) {
  return mask == nullptr || (mask[row >> 5] >> (row & 31)) & 1u;
}

struct Ints {
  template <typename T> static __device__ u32 hash(u32 h, T x) { return hash_int(h, (u32)(int)x); }
};

struct Longs {
  template <typename T> static __device__ u32 hash(u32 h, T x) { return hash_long(h, (u64)x); }
};

struct Floats {
  static __device__ u32 hash(u32 h, float x) {
    return hash_int(h, x == 0.0f ? 0u : x != x ? 0x7FC00000u : __float_as_uint(x));
  }
};

struct Doubles {
  static __device__ u32 hash(u32 h, double x) {
    return hash_long(h, x == 0.0 ? 0ull : x != x ? 0x7FF8000000000000ull
                                                 : (u64)__double_as_longlong(x));
  }
};

template <typename T, typename Kind>
__global__ void hash_values(const T* data, const u32* mask, long long offset, long long rows,
                            u32* hashes) {
  long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || !is_valid(mask, offset + row)) return;
  hashes[row] = Kind::hash(hashes[row], data[offset + row]);
}

// The bytes of Java's BigInteger.toByteArray: big-endian, no more than the sign needs.
__global__ void hash_big_integers(const u8* data, const u32* mask, long long offset,
                                  long long rows, u32* hashes) {
  long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || !is_valid(mask, offset + row)) return;
  const u8* value = data + 16 * (offset + row);
  u8 sign = value[15] & 0x80 ? 0xFF : 0;
  int length = 16;
  while (length > 1 && value[length - 1] == sign && ((value[length - 2] ^ sign) & 0x80) == 0)
    --length;
  hashes[row] = hash_bytes(
      hashes[row], [=](long long i) { return value[length - 1 - i]; }, length);
}

template <typename Offset>
__global__ void hash_texts(const Offset* offsets, const u8* content, const u32* mask,
                           long long offset, long long rows, u32* hashes) {
  long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || !is_valid(mask, offset + row)) return;
  const u8* text = content + offsets[offset + row];
  long long length = (long long)(offsets[offset + row + 1] - offsets[offset + row]);
  hashes[row] = hash_bytes(hashes[row], [=](long long i) { return text[i]; }, length);
}
"""

_TEXTS = {TypeId.INT32: "hash_texts<int>", TypeId.INT64: "hash_texts<long long>"}
_VALUES = {
    TypeId.BOOL8: "hash_values<u8, Ints>",
    TypeId.INT8: "hash_values<signed char, Ints>",
    TypeId.INT16: "hash_values<short, Ints>",
    TypeId.INT32: "hash_values<int, Ints>",
    TypeId.TIMESTAMP_DAYS: "hash_values<int, Ints>",
    TypeId.INT64: "hash_values<long long, Longs>",
    TypeId.FLOAT32: "hash_values<float, Floats>",
    TypeId.FLOAT64: "hash_values<double, Doubles>",
}
_BIG = "hash_big_integers"


@cache
def _kernel(name: str) -> Callable[..., None]:
    names = (*_TEXTS.values(), *sorted(set(_VALUES.values())), _BIG)
    kernel: Callable[..., None] = _module(names).get_function(name)
    return kernel


@cache
def _module(names: tuple[str, ...]) -> Any:
    return cupy.RawModule(code=_SOURCE, options=("--std=c++17",), name_expressions=names)


def hash_column(hashes: Column, column: Column, data_type: DataType) -> None:
    """Change `hashes`, whose memory nobody else has, by the values of a column."""
    rows = int(column.size())
    if rows == 0 or column.null_count() == rows:
        return
    if isinstance(data_type, DecimalType):
        column = cast(column, DECIMAL128 if data_type.precision > MAX_LONG_DIGITS else INT64)
    if column.type().id() == TypeId.DECIMAL128:
        name = _BIG
        data = [column.data().ptr]
    elif column.type().id() == TypeId.STRING:
        offsets = column.child(0)
        width = 4 if offsets.type().id() == TypeId.INT32 else 8
        name = _TEXTS[offsets.type().id()]
        content = column.data()
        data = [
            offsets.data().ptr + width * int(offsets.offset()),
            content.ptr if content is not None else 0,
        ]
    else:
        name = _VALUES[column.type().id()]
        data = [column.data().ptr]
    mask = column.null_mask()
    pointers = [*data, mask.ptr if mask is not None and column.null_count() else 0]
    counts = [np.int64(column.offset()), np.int64(rows)]
    arguments = (*map(np.uint64, pointers), *counts, np.uint64(hashes.data().ptr))
    # the stream that pylibcudf uses in this thread
    with cupy.cuda.Stream.ptds:
        _kernel(name)((-(-rows // _THREADS),), (_THREADS,), arguments)
