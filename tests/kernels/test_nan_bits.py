"""NaN of every bit pattern: signaling, negative and with a payload, each is the one NaN of SQL."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest

from broadhead.kernels.interface import Kernels, Request
from broadhead.types import BOOLEAN, DOUBLE, FLOAT, INTEGER, LONG, DataType
from kernels.grouping import grouped, whole
from kernels.physical import array, same, values

BITS = {
    DOUBLE: [0x7FF0000000000001, 0xFFF0000000000001, 0xFFF8000000000000, 0x7FF8000000000123],
    FLOAT: [0x7F800001, 0xFF800001, 0xFFC00000, 0x7FC00123],
}
UNSIGNED = {DOUBLE: np.uint64, FLOAT: np.uint32}
DTYPES = {DOUBLE: np.float64, FLOAT: np.float32}
CASES = [
    pytest.param(type_, bits, id=f"{type_.name}-{bits:x}")
    for type_, patterns in BITS.items()
    for bits in patterns
]
NAN = float("nan")


def floats(k: Kernels, type_: DataType, bits: int, numbers: list[float | None]) -> Any:
    """The numbers, `bits` in the place of NaN."""
    dtype = DTYPES[type_]
    data = np.array([NAN if n is None else n for n in numbers], dtype)
    words = data.view(UNSIGNED[type_])
    words[np.isnan(data)] = bits
    missing = np.array([n is None for n in numbers])
    return k.columns.from_arrow(pa.array(data, mask=missing), type_)


@pytest.mark.parametrize(("type_", "bits"), CASES)
@pytest.mark.parametrize("anchor", ["begin", "end", "none"])
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("min", {"begin": [NAN, 1.0, 1.0, -2.0], "end": [-2.0, -2.0, -2.0, -2.0]}),
        ("max", {"begin": [NAN, NAN, NAN, NAN], "end": [NAN, NAN, NAN, -2.0]}),
    ],
)
def test_extremes_of_frames(
    k: Kernels,
    type_: DataType,
    bits: int,
    anchor: Literal["begin", "end", "none"],
    kind: str,
    expected: dict[str, list[float]],
) -> None:
    """What stood before a NaN still counts behind it."""
    data = floats(k, type_, bits, [NAN, 1.0, NAN, -2.0])
    from_begin = ([0, 0, 0, 0], [1, 2, 3, 4])
    begin, end = ([0, 1, 2, 3], [4, 4, 4, 4]) if anchor == "end" else from_begin
    frames = k.window.frames(array(k, begin, LONG), array(k, end, LONG), anchor)
    wanted: Any = kind
    (found,) = frames.aggregate([Request(wanted, data)])
    assert same(values(k, found, type_), expected["end" if anchor == "end" else "begin"])


@pytest.mark.parametrize(("type_", "bits"), CASES)
def test_extremes_of_groups(k: Kernels, type_: DataType, bits: int) -> None:
    """Of the keys 2, 1, null and 3."""
    column = floats(k, type_, bits, [NAN, NAN, None, 1.0, NAN, None, NAN, -2.0])
    assert same(grouped(k, "min", column, type_), [-2.0, NAN, None, NAN])
    assert same(grouped(k, "max", column, type_), [NAN, NAN, None, NAN])
    assert same([whole(k, "min", column, type_)], [-2.0])
    assert same([whole(k, "max", column, type_)], [NAN])


@pytest.mark.parametrize(("type_", "bits"), CASES)
def test_comparisons(k: Kernels, type_: DataType, bits: int) -> None:
    left = floats(k, type_, bits, [NAN, NAN, 1.0, NAN, None])
    right = array(k, [NAN, 1.0, NAN, None, NAN], type_)
    compare = k.compare.compare
    assert values(k, compare("equal", left, right), BOOLEAN) == [True, False, False, None, None]
    assert values(k, compare("less", left, right), BOOLEAN) == [False, False, True, None, None]
    found = values(k, compare("less_equal", left, right), BOOLEAN)
    assert found == [True, False, True, None, None]
    equal = k.compare.null_safe_equal(left, right)
    assert values(k, equal, BOOLEAN) == [True, False, False, False, False]
    members = k.compare.is_in(left, [NAN], type_)
    assert values(k, members, BOOLEAN) == [True, True, False, True, False]
    nans = k.logic.is_nan(left)
    assert values(k, nans, BOOLEAN) == [True, True, False, True, False]


@pytest.mark.parametrize(("type_", "bits"), CASES)
def test_sorts_behind_infinity(k: Kernels, type_: DataType, bits: int) -> None:
    numbers = [NAN, 1.0, float("inf"), None, -1.0, NAN, float("-inf")]
    for ascending, expected in (
        (True, [3, 6, 4, 1, 2, 0, 5]),
        (False, [3, 0, 5, 2, 1, 4, 6]),
    ):
        key = floats(k, type_, bits, numbers)
        order: Any = [(ascending, True)]
        assert values(k, k.sort.order([key], order), LONG) == expected
        present = floats(k, type_, bits, [n for n in numbers if n is not None])
        rows = values(k, k.sort.order([present], order), LONG)
        assert rows == [row - (row > 3) for row in expected[1:]]
        top = values(k, k.sort.top([key], order, 3), LONG)
        assert sorted(top) == sorted(expected[:3])


@pytest.mark.parametrize(("type_", "bits"), CASES)
def test_one_hash(k: Kernels, type_: DataType, bits: int) -> None:
    """Spark's hash is of Java's `doubleToLongBits`, which knows one NaN."""
    key, canonical = floats(k, type_, bits, [NAN, NAN, 2.5]), array(k, [NAN, NAN, 2.5], type_)
    hashes = [k.hash.murmur3([data], [type_], 3, 42) for data in (key, canonical)]
    assert values(k, hashes[0], INTEGER) == values(k, hashes[1], INTEGER)
    parts = [k.group.hash_partition([data], 1 << 20, 101) for data in (key, canonical)]
    assert values(k, parts[0], INTEGER) == values(k, parts[1], INTEGER)


@pytest.mark.parametrize(("type_", "bits"), CASES)
def test_normalized_keys_are_one_group_and_join(k: Kernels, type_: DataType, bits: int) -> None:
    """Spark normalizes the keys of groups and joins; so does what counts the groups here."""
    key = floats(k, type_, bits, [NAN, 1.0, NAN])
    mixed = k.columns.concat([[key], [array(k, [NAN], type_)]])[0]
    normalized = k.compare.normalize(mixed)
    assert k.group.group([normalized], 4).size == 2
    assert k.group.group([mixed], 4).size == 2
    changes = k.window.changes([mixed], 4)
    assert values(k, changes, BOOLEAN) == [True, True, True, False]
    table = k.join.build([array(k, [NAN, 3.0], type_)])
    assert values(k, table.matches([mixed]), BOOLEAN) == [True, False, True, True]
    bound = k.hash.search_sorted([array(k, [1.0, NAN], type_)], [key], [(True, True)])
    assert len(set(values(k, bound, INTEGER)[::2])) == 1
