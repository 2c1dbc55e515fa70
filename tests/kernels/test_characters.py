"""Strings made of other strings: each function beside a plain one of Python."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from broadhead.types import INTEGER, STRING, ArrayType
from kernels.physical import array, scalar, values

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from broadhead.kernels.interface import Kernels

CHANCE = random.Random(26)
ALPHABET = "aabbAB ,.'é😀日ß\n"
TEXTS = [
    *("".join(CHANCE.choices(ALPHABET, k=CHANCE.randrange(9))) for _ in range(120)),
    "", "aaaa", "aaa", *([None] * 8),
]  # fmt: skip
LENGTHS = [-1, 0, 1, 3, 5, 20]
LISTS = ArrayType("array", STRING, contains_null=False)


def of_texts(function: Callable[[str], object]) -> list[object]:
    return [None if text is None else function(text) for text in TEXTS]


def padded(text: str, length: int, fill: str, side: str) -> str:
    if len(text) >= length or not fill:
        return text[: max(length, 0)]
    added = (fill * length)[: length - len(text)]
    return added + text if side == "left" else text + added


@pytest.mark.parametrize("fill", ["x", "ab", "é😀", ""])
@pytest.mark.parametrize("side", ["left", "right"])
def test_pad(k: Kernels, fill: str, side: str) -> None:
    data = array(k, TEXTS, STRING)
    for length in LENGTHS:
        found = k.characters.pad(data, scalar(k, length, INTEGER), fill, side)  # type: ignore[arg-type]
        expected = of_texts(lambda text, length=length: padded(text, length, fill, side))
        assert values(k, found, STRING) == expected


@pytest.mark.parametrize("part", ["a", "aa", "é", "😀", "", "日a"])
def test_position(k: Kernels, part: str) -> None:
    data = array(k, TEXTS, STRING)
    for start in [*LENGTHS, 2]:

        def place(text: str, start: int = start) -> int:
            return 0 if start < 1 else text.find(part, start - 1) + 1 if part else 1

        found = k.characters.position(data, part, scalar(k, start, INTEGER))
        assert values(k, found, INTEGER) == of_texts(place)


@pytest.mark.parametrize(
    "characters", [{"a": "x"}, {"a": ""}, {"a": "é"}, {"a": "x", "b": "", "é": "e", "😀": "日"}]
)
def test_translate(k: Kernels, characters: dict[str, str]) -> None:
    found = k.characters.translate(array(k, TEXTS, STRING), characters)
    expected = of_texts(lambda text: "".join(characters.get(c, c) for c in text))
    assert values(k, found, STRING) == expected


@pytest.mark.parametrize("delimiter", [",", "aa", "é", "a", "😀a"])
def test_pieces(k: Kernels, delimiter: str) -> None:
    data = array(k, TEXTS, STRING)
    found = k.characters.split(data, delimiter, LISTS)
    assert values(k, found, LISTS) == of_texts(lambda text: text.split(delimiter))
    for number in (1, 2, 3, -1, -2, 9):

        def part(text: str, number: int = number) -> str:
            parts: Sequence[str] = text.split(delimiter)
            place = number - 1 if number > 0 else len(parts) + number
            return parts[place] if 0 <= place < len(parts) else ""

        found = k.characters.split_part(data, delimiter, scalar(k, number, INTEGER))
        assert values(k, found, STRING) == of_texts(part)


def test_join_leaves_nulls_out(k: Kernels) -> None:
    """Also where all parts of a row are null, which Arrow's own function takes for no row."""
    others = TEXTS[::-1]
    data, other = array(k, TEXTS, STRING), array(k, others, STRING)
    found = k.characters.join(scalar(k, "-", STRING), [data, other])
    expected = [
        "-".join(t for t in row if t is not None) for row in zip(TEXTS, others, strict=True)
    ]
    assert values(k, found, STRING) == expected


def distance(left: str, right: str) -> int:
    row = list(range(len(right) + 1))
    for number, one in enumerate(left, 1):
        last, row = row, [number]
        for place, other in enumerate(right, 1):
            row.append(min(last[place] + 1, row[-1] + 1, last[place - 1] + (one != other)))
    return row[-1]


@pytest.mark.parametrize("other", ["", "abc", "a😀b,c", "x" * 64, "y" * 70])
def test_levenshtein(k: Kernels, other: str) -> None:
    found = k.characters.levenshtein(array(k, TEXTS, STRING), scalar(k, other, STRING))
    assert values(k, found, INTEGER) == of_texts(lambda text: distance(text, other))


def test_repeat_and_reverse(k: Kernels) -> None:
    data = array(k, TEXTS, STRING)
    found = k.characters.repeat(data, scalar(k, 3, INTEGER))
    assert values(k, found, STRING) == of_texts(lambda text: text * 3)
    assert values(k, k.characters.reverse(data), STRING) == of_texts(lambda text: text[::-1])
