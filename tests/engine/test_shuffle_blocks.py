"""Shuffle blocks: every column comes back as it was, in few bytes, or the block is damaged."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadhead.errors import ShuffleBlockError
from broadhead.packed import LIMITS, UNSIGNED, PackedIntegers, concatenate_columns, unpacked
from broadhead.shuffle.block import HEADER, Rows, encode
from broadhead.shuffle.buffers import LZ4, NONE, ZSTD
from broadhead.shuffle.reader import Segment, read_rows
from broadhead.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    VOID,
    ArrayType,
    DataType,
    decimal,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDE = pa.decimal128(38, 0)
BITS = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}


def block(*parts: Sequence[pa.Array], codec: int = LZ4) -> bytes:
    """The block of rows that come in these parts, each of them a list of columns."""
    rows = [Rows(tuple(columns), len(columns[0])) for columns in parts]
    return b"".join(bytes(piece) for piece in encode(rows, codec))


def read(data: bytes, types: Sequence[DataType]) -> list[pa.Array]:
    """The columns of all blocks, which are the same where integers stay packed."""
    buffer = pa.py_buffer(data)
    segments = [Segment(None, 0, buffer.size, buffer)]
    (rows,) = read_rows(segments, types, range(len(types)), 1 << 30)
    (kept,) = read_rows(segments, types, range(len(types)), 1 << 30, keep_packed=True)
    for whole, array in zip(rows.arrays, map(unpacked, kept.arrays), strict=True):
        assert array.type == whole.type
        assert array.equals(whole) or pa.types.is_floating(whole.type)
    for array in kept.arrays:
        if isinstance(array, PackedIntegers):
            assert array.values.type.bit_width < array.type.bit_width
    return list(rows.arrays)


def check(array: pa.Array, type_: DataType) -> int:
    """The bytes of the block of a column, which comes back."""
    for codec in (NONE, LZ4, ZSTD):
        data = block([array], codec=codec)
        (found,) = read(data, [type_])
        assert len(data) % 8 == 0
        assert found.type == array.type
        assert found.null_count == array.null_count
        found.validate(full=True)
        assert found.equals(array) or pa.types.is_floating(array.type)
    return len(block([array]))


def with_garbage(values: Any, valid: Any, type_: pa.DataType) -> pa.Array:
    """Numbers that stay where they are null."""
    bitmap = pa.py_buffer(np.packbits(valid, bitorder="little"))
    return pa.Array.from_buffers(type_, len(values), [bitmap, pa.py_buffer(values)])


@pytest.mark.parametrize(
    ("type_", "arrow"),
    [
        (BYTE, pa.int8()),
        (SHORT, pa.int16()),
        (INTEGER, pa.int32()),
        (DATE, pa.date32()),
        (LONG, pa.int64()),
        (decimal(18, 2), pa.int64()),
        (decimal(38, 2), pa.int64()),
    ],
)
@pytest.mark.parametrize("span", [0, 1, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**64 - 1])
def test_integers_of_every_span(type_: DataType, arrow: pa.DataType, span: int) -> None:
    bits = arrow.bit_width
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    width = 0
    if span:
        width = min(bits // 8, next(w for w in (1, 2, 4, 8) if span < 1 << 8 * w))
    starts = {low, high - span, -1, 0, -span // 2}
    for least in [start for start in starts if low <= start <= high - span]:
        values = np.array([least, least + span, least, least + span // 2], BITS[bits])
        size = check(pa.array(values).view(arrow), type_)
        assert size == HEADER.size + 32 + -(-4 * width // 8) * 8


def test_garbage_below_nulls_takes_no_bytes() -> None:
    values = np.array([2**63 - 1, 7, 9, -(2**63), 300, 8, 5, 0] * 100)
    valid = np.array([False, True, True, False, False, True, True, False] * 100)
    array = with_garbage(values, valid, pa.int64())
    assert check(array, LONG) <= HEADER.size + 32 + 104 + 800
    assert check(array[3:797], LONG) <= HEADER.size + 32 + 104 + 800
    dates = with_garbage(values.astype(np.int32), valid, pa.date32())
    assert check(dates, DATE) <= HEADER.size + 32 + 104 + 800


@pytest.mark.parametrize(
    ("type_", "arrow"),
    [
        (BOOLEAN, pa.bool_()),
        (VOID, pa.bool_()),
        (LONG, pa.int64()),
        (DATE, pa.date32()),
        (DOUBLE, pa.float64()),
        (decimal(30, 2), WIDE),
        (STRING, pa.string()),
        (BINARY, pa.binary()),
        (ArrayType("array", INTEGER, True), pa.list_(pa.int32())),
    ],
)
def test_all_null(type_: DataType, arrow: pa.DataType) -> None:
    for length in (1, 8, 1000):
        check(pa.nulls(length, arrow), type_)


def test_columns_of_one_value_take_no_bytes() -> None:
    directory = HEADER.size + 32
    true = pa.array([True] * 1000)
    assert check(true, BOOLEAN) == directory
    assert check(pa.array([False] * 1000), BOOLEAN) == directory
    assert check(pa.array([-(2**63)] * 1000), LONG) == directory
    assert check(pa.array([-0.0] * 1000), DOUBLE) == directory
    assert check(pa.array(["x"] * 1000), STRING) < directory + 16 + 40
    assert check(pa.nulls(1000, pa.int64()), LONG) == directory
    assert check(pa.array([True, None] * 500), BOOLEAN) < directory + 130


def test_floats_keep_their_bits() -> None:
    bits = np.array([0x7FF8000000000001, 0xFFF8000000000000, 1 << 63, 0, 1], np.uint64)
    for values in (bits, bits[:1], bits[2:3].repeat(9)):
        (found,) = read(block([pa.array(values.view(np.float64))]), [DOUBLE])
        assert np.array_equal(np.asarray(found).view(np.uint64), values)
    small = np.array([0x7FC00001, 1 << 31, 0], np.uint32)
    (found,) = read(block([pa.array(small.view(np.float32))]), [FLOAT])
    assert np.array_equal(np.asarray(found).view(np.uint32), small)


def test_texts() -> None:
    for texts in ([""], ["", ""], ["", "é" * 200, "x"], ["x" * 70_000, ""], ["ab", "cd"]):
        check(pa.array(texts), STRING)
        check(pa.array([*texts, None]), STRING)
        check(pa.array([text.encode() for text in texts]), BINARY)
    random = np.random.default_rng(7)
    # more than the sample that decides on compression
    words = ["word" * (n % 5) for n in random.integers(0, 100, 100_000).tolist()]
    check(pa.array(words), STRING)
    noise = random.bytes(200_000)
    check(pa.array([noise[n : n + 5] for n in range(0, 200_000, 5)]), BINARY)


@pytest.mark.parametrize("start", [0, 1, 3, 8, 13])
@pytest.mark.parametrize("length", [1, 7, 8, 50])
def test_slices(start: int, length: int) -> None:
    numbers = [n * 1000 if n % 3 else None for n in range(100)]
    texts = [None if n is None else "t" * (n % 17) for n in numbers]
    bools = [None if n is None else n % 2 == 0 for n in numbers]
    for array, type_ in (
        (pa.array(numbers, pa.int64()), LONG),
        (pa.array(numbers, pa.float64()), DOUBLE),
        (pa.array(numbers, pa.decimal128(30, 0)).cast(WIDE), decimal(38, 0)),
        (pa.array(texts), STRING),
        (pa.array(bools), BOOLEAN),
        (pa.array([[n] for n in numbers]), ArrayType("array", LONG, True)),
    ):
        check(array.slice(start, length), type_)


@pytest.mark.parametrize("length", [10, 10_000])
def test_parts_of_any_form_are_one_block(length: int) -> None:
    numbers = np.arange(length)
    types = [LONG, decimal(38, 0), STRING, BOOLEAN, DATE]

    def part(start: int, nulls: bool) -> list[pa.Array]:
        mask = numbers % 3 == 1 if nulls else None
        return [
            pa.array(numbers + start, mask=mask),
            pa.array(numbers * start),
            pa.array((numbers * start).astype(str)),
            pa.array(numbers % 2 == 0, mask=mask),
            pa.array((numbers + start).astype(np.int32)).view(pa.date32()),
        ]

    for nulls in ((False, False), (True, False), (True, True)):
        parts = [part(-300, nulls[0]), part(70_000, nulls[1])]
        expected = [pa.concat_arrays(chunks) for chunks in zip(*parts, strict=True)]
        assert read(block(*parts), types) == expected
    wider = part(1, nulls=False)
    wider[1] = pa.array([10**30, *range(length - 1)], WIDE)
    found = read(block(part(2, nulls=False), wider), types)
    assert found[1].type == WIDE
    assert found[1].to_pylist()[length - 1 : length + 1] == [2 * (length - 1), 10**30]


PACKED = [(SHORT, pa.int16()), (INTEGER, pa.int32()), (LONG, pa.int64()), (DATE, pa.date32())]


@st.composite
def packed_parts(draw: st.DrawFn) -> tuple[DataType, list[PackedIntegers]]:
    """Parts of a column, each cut out of packed integers with a least of its own."""
    type_, arrow = draw(st.sampled_from(PACKED))
    parts = []
    for _ in range(draw(st.integers(1, 4))):
        width, limit = draw(
            st.sampled_from([pair for pair in LIMITS if pair[0] * 8 < arrow.bit_width])
        )
        most = (1 << arrow.bit_width - 1) - 1 - limit
        least = draw(st.integers(-most, most) | st.integers(-3, 3) | st.just(-most - limit - 1))
        value = st.integers(0, limit) | st.integers(0, 5)
        nulls = draw(st.sampled_from([st.nothing(), st.none()]))
        start = draw(st.integers(0, 9))
        values = draw(st.lists(nulls | value, min_size=start + 1, max_size=start + 20))
        array = pa.array(values, pa.from_numpy_dtype(UNSIGNED[width])).slice(start)
        parts.append(PackedIntegers(array, least, arrow))
    return type_, parts


@given(packed_parts())
def test_packed_integers_are_written_and_put_together(
    drawn: tuple[DataType, list[PackedIntegers]],
) -> None:
    type_, parts = drawn
    whole = pa.concat_arrays([part.unpack() for part in parts])
    whole.validate(full=True)
    assert whole.cast(pa.int64() if type_ != DATE else pa.int32()).to_pylist() == [
        None if value is None else part.least + value
        for part in parts
        for value in part.values.to_pylist()
    ]
    assert unpacked(concatenate_columns(parts)).equals(whole)
    together = block(*([part] for part in parts))
    assert read(together, [type_]) == [whole]
    assert len(together) == len(block([whole]))
    one_by_one = b"".join(block([part]) for part in parts)
    assert read(one_by_one, [type_]) == [whole]


COLUMNS: list[tuple[DataType, pa.DataType, st.SearchStrategy[Any]]] = [
    (BOOLEAN, pa.bool_(), st.booleans()),
    (BYTE, pa.int8(), st.integers(-(2**7), 2**7 - 1) | st.just(3)),
    (SHORT, pa.int16(), st.integers(-(2**15), 2**15 - 1)),
    (LONG, pa.int64(), st.integers(-(2**63), 2**63 - 1) | st.integers(0, 300)),
    (DOUBLE, pa.float64(), st.floats(allow_nan=False)),
    (STRING, pa.string(), st.text(st.characters(codec="utf-8"), max_size=20)),
    (BINARY, pa.binary(), st.binary(max_size=20)),
    (decimal(38, 0), WIDE, st.integers(-(10**38) + 1, 10**38 - 1)),
    (ArrayType("array", LONG, True), pa.list_(pa.int64()), st.lists(st.integers(0, 9), max_size=3)),
]


@st.composite
def columns(draw: st.DrawFn) -> tuple[list[pa.Array], list[DataType]]:
    """Up to four columns of the same length, cut out of longer ones."""
    length = draw(st.integers(1, 40))
    start = draw(st.integers(0, 10))
    arrays, types = [], []
    for type_, arrow, values in draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=4)):
        count = length + start
        items = draw(st.lists(st.none() | values, min_size=count, max_size=count))
        arrays.append(pa.array(items, arrow).slice(start))
        types.append(type_)
    return arrays, types


@given(columns(), st.data(), st.sampled_from([NONE, LZ4, ZSTD]))
def test_any_block_comes_back_or_is_damaged(
    drawn: tuple[list[pa.Array], list[DataType]], data: st.DataObject, codec: int
) -> None:
    arrays, types = drawn
    written = block(arrays, codec=codec)
    assert read(written, types) == arrays
    cut = data.draw(st.integers(1, len(written) - 1))
    with pytest.raises(ShuffleBlockError):
        read(written[:cut], types)
    flipped = bytearray(written)
    position = data.draw(st.integers(0, len(written) - 1))
    flipped[position] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(ShuffleBlockError):
        read(bytes(flipped), types)


@given(columns(), st.data(), st.sampled_from([NONE, LZ4, ZSTD]))
def test_nonsense_with_a_right_checksum_is_found_or_harmless(
    drawn: tuple[list[pa.Array], list[DataType]], data: st.DataObject, codec: int
) -> None:
    plain = [pair for pair in zip(*drawn, strict=True) if not pair[1].is_nested]
    arrays, types = [array for array, _ in plain], [type_ for _, type_ in plain]
    if not plain:
        return
    broken = bytearray(block(arrays, codec=codec))
    # all but the magic, the number of rows and the length
    for _ in range(data.draw(st.integers(1, 3))):
        position = data.draw(st.integers(12, len(broken) - 1))
        broken[position] = data.draw(st.integers(0, 255))
    broken[16:24] = bytes(8)
    broken[16:20] = zlib.crc32(broken).to_bytes(4, "little")
    try:
        found = read(bytes(broken), types)
    except ShuffleBlockError:
        return
    assert [len(array) for array in found] == [len(array) for array in arrays]
    for array in found:
        array.validate()


def test_a_block_without_rows_is_damaged() -> None:
    broken = bytearray(block([pa.array(["", "a"])]))
    broken[4:8] = bytes(4)
    broken[16:20] = bytes(4)
    broken[16:20] = zlib.crc32(broken).to_bytes(4, "little")
    with pytest.raises(ShuffleBlockError, match="0 rows"):
        read(bytes(broken), [STRING])
