"""The order of a dict's entries in the hash maps of Java through which Spark passes them."""

from __future__ import annotations

import struct
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from broadhead.errors import WouldRaise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_ENTRIES = 1000
"""Python pickles the entries of larger dicts in several parts."""


def key_hash(type_name: str) -> Callable[[Any], int] | None:
    """`hashCode` of keys of a type of PySpark's, its 32 bits; None where it is not known."""
    return _HASHES.get(type_name)


def order_for_python(hashes: Sequence[int]) -> Sequence[int]:
    """The order in which a function sees a map's entries, of keys with these hashes."""
    return _in_table(range(len(hashes)), hashes, _grown(len(hashes), 1))


def order_from_python(hashes: Sequence[int]) -> Sequence[int]:
    """The order in which Spark sees the entries of a dict that a function returns.

    The reader of pickles puts the entries into one map, the last one first, and copies that map.
    """
    count = len(hashes)
    if count > MAX_ENTRIES:
        raise WouldRaise("PYTHON_MAP_TOO_LARGE")
    read = _in_table(range(count - 1, -1, -1), hashes, _grown(count, 16))
    return _in_table(read, hashes, _power_of_two(int(count / 0.75 + 1)))


def hash_of_python(key: Any) -> int | None:
    """`hashCode` of what Java reads from the pickle of a key; None where Java has none."""
    kind = type(key)
    if kind is int:
        return _int_hash(key) if -(1 << 31) <= key < 1 << 31 else _long_hash(key)
    found = _PYTHON_HASHES.get(kind)
    return found(key) if found is not None else None


def _in_table(entries: Sequence[int], hashes: Sequence[int], capacity: int) -> Sequence[int]:
    mask = capacity - 1

    def bucket(entry: int) -> int:
        value = hashes[entry]
        return (value ^ (value >> 16)) & mask

    return sorted(entries, key=bucket)


def _grown(count: int, capacity: int) -> int:
    """The size of a table after so many entries, of which it holds three for each four buckets."""
    while count * 4 > capacity * 3:
        capacity *= 2
    return capacity


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


@lru_cache(maxsize=1 << 16)
def _text_hash(text: str) -> int:
    value = 0
    data = text.encode("utf-16-be", "surrogatepass")
    for (unit,) in struct.iter_unpack(">H", data):
        value = (31 * value + unit) & 0xFFFFFFFF
    return value


def _int_hash(number: int) -> int:
    return number & 0xFFFFFFFF


def _long_hash(number: int) -> int:
    return (number ^ ((number & 0xFFFFFFFFFFFFFFFF) >> 32)) & 0xFFFFFFFF


def _bool_hash(value: bool) -> int:  # noqa: FBT001 - a value
    return 1231 if value else 1237


def _double_hash(number: float) -> int:
    if number != number:
        return 0x7FF80000
    (bits,) = struct.unpack(">q", struct.pack(">d", number))
    return _long_hash(bits)


def _float_hash(number: float) -> int:
    if number != number:
        return 0x7FC00000
    (bits,) = struct.unpack(">I", struct.pack(">f", number))
    return int(bits)


def _decimal_hash(number: Decimal) -> int:
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    rest = int("".join(map(str, digits)))
    value, words = 0, []
    while rest:
        words.append(rest & 0xFFFFFFFF)
        rest >>= 32
    for word in reversed(words):
        value = 31 * value + word
    return (31 * (-value if sign else value) - exponent) & 0xFFFFFFFF


_HASHES: dict[str, Callable[[Any], int]] = {
    "boolean": _bool_hash,
    "byte": _int_hash,
    "short": _int_hash,
    "integer": _int_hash,
    "date": _int_hash,
    "long": _long_hash,
    "timestamp": _long_hash,
    "timestamp_ntz": _long_hash,
    "daytimeinterval": _long_hash,
    "float": _float_hash,
    "double": _double_hash,
    "decimal": _decimal_hash,
    "string": _text_hash,
}

_PYTHON_HASHES: dict[type, Callable[[Any], int]] = {
    bool: _bool_hash,
    float: _double_hash,
    Decimal: _decimal_hash,
    str: _text_hash,
}
