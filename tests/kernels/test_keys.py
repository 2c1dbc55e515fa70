"""Nested values as binaries that compare as the values do."""

from __future__ import annotations

import random

import pytest

from broadhead.kernels.interface import Kernels
from broadhead.types import BINARY, INTEGER, STRING, ArrayType, StructType
from kernels.nested_values import (
    ATOMS,
    array_of,
    compared,
    made,
    some_type,
    some_value,
    struct,
)


def check(k: Kernels, values: list[object], type_: ArrayType | StructType) -> None:
    found = k.columns.to_arrow(k.keys.comparable(made(k, values, type_), type_), BINARY)
    keys = found.to_pylist()
    for left, left_key in zip(values, keys, strict=True):
        for right, right_key in zip(values, keys, strict=True):
            assert (left_key is None) == (left is None)
            if left is not None and right is not None:
                order = compared(left, right)
                found_order = (left_key > right_key) - (left_key < right_key)
                assert (order > 0) - (order < 0) == found_order, (left, right)


@pytest.mark.parametrize("seed", range(40))
def test_bytes_compare_as_values(k: Kernels, seed: int) -> None:
    chance = random.Random(seed)
    inner = some_type(chance, 2)
    type_ = chance.choice([struct(inner, chance.choice(list(ATOMS))), array_of(inner)])
    check(k, [some_value(chance, type_) for _ in range(60)], type_)


@pytest.mark.parametrize("atom", ATOMS, ids=lambda type_: type_.name)
def test_bytes_compare_as_values_of_each_type(k: Kernels, atom: object) -> None:
    values = [*ATOMS[atom], None]  # type: ignore[index]
    check(k, [[a, b] for a in values for b in values] + [[], None], array_of(atom))  # type: ignore[arg-type]
    check(k, [(a, b) for a in values for b in values] + [None], struct(atom, atom))  # type: ignore[arg-type]


def test_bytes_are_the_same_in_every_batch(k: Kernels) -> None:
    type_ = struct(array_of(STRING), INTEGER)
    values = [(["a", None], 1), (None, 2), None, ([], None)]
    whole = k.columns.to_arrow(k.keys.comparable(made(k, values, type_), type_), BINARY)
    for row, value in enumerate(values):
        one = k.columns.to_arrow(k.keys.comparable(made(k, [value], type_), type_), BINARY)
        assert one[0] == whole[row]


def test_what_lies_under_a_null_does_not_matter(k: Kernels) -> None:
    import pyarrow as pa

    fields = [
        pa.field("f0", pa.int32()),
        pa.field("f1", pa.list_(pa.field("element", pa.string()))),
    ]
    inner = pa.StructArray.from_arrays(
        [pa.array([1, 2], pa.int32()), pa.array([["a"], []], fields[1].type)],
        fields=fields,
        mask=pa.array([True, True]),
    )
    outer = pa.StructArray.from_arrays([inner], fields=[pa.field("f0", inner.type)])
    type_ = struct(struct(INTEGER, array_of(STRING)))
    data = k.keys.comparable(k.columns.from_arrow(outer, type_), type_)
    first, second = k.columns.to_arrow(data, BINARY).to_pylist()
    assert first == second


@pytest.mark.parametrize("type_", [array_of(array_of(INTEGER)), struct(array_of(STRING))])
def test_no_rows(k: Kernels, type_: ArrayType | StructType) -> None:
    assert k.columns.length(k.keys.comparable(made(k, [], type_), type_)) == 0
