"""Regular expressions on strings, beside Python's own for patterns that both read alike."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest

from broadhead.errors import EngineLimit
from broadhead.kernels.interface import Pattern
from broadhead.types import INTEGER, STRING, ArrayType
from kernels.physical import array, values

if TYPE_CHECKING:
    from collections.abc import Callable

    from broadhead.kernels.interface import Kernels

CHANCE = random.Random(27)
TEXTS = [
    *("".join(CHANCE.choices("aabbAB 12é日ß\n", k=CHANCE.randrange(9))) for _ in range(120)),
    "", "abab", *([None] * 8),
]  # fmt: skip
LISTS = ArrayType("array", STRING, contains_null=True)
PATTERNS = ["a", "[ab]+", "a(?:b|é)", "^a", "\\d{1,2}", "日|ß", "b.", "(?i:B)a?"]


def of_texts(function: Callable[[str], object]) -> list[object]:
    return [None if text is None else function(text) for text in TEXTS]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_all_matches(k: Kernels, pattern: str) -> None:
    data = array(k, TEXTS, STRING)
    whole = Pattern(f"(?P<g>{pattern})", line_end=False, ascii_only=False)
    found = k.patterns.extract_all(data, whole, LISTS)
    assert values(k, found, LISTS) == of_texts(lambda text: re.findall(pattern, text))
    counts = k.patterns.count(data, whole)
    assert values(k, counts, INTEGER) == of_texts(lambda text: len(re.findall(pattern, text)))


def test_a_group_of_all_matches(k: Kernels) -> None:
    data = array(k, ["a1b", "ab2a", "", None, "xyz"], STRING)
    pattern = Pattern("[ab](?P<g>\\d)?", line_end=False, ascii_only=False)
    found = k.patterns.extract_all(data, pattern, LISTS)
    assert values(k, found, LISTS) == [["1", ""], ["", "2", ""], [], None, []]
    assert values(k, k.patterns.count(data, pattern), INTEGER) == [2, 3, 0, None, 0]


@pytest.mark.parametrize("pattern", [*PATTERNS, "", "x*b"])
def test_position(k: Kernels, pattern: str) -> None:
    data = array(k, TEXTS, STRING)
    found = k.patterns.position(data, Pattern(pattern, line_end=False, ascii_only=False))

    def place(text: str) -> int:
        match = re.search(pattern, text)
        return match.start() + 1 if match else 0

    assert values(k, found, INTEGER) == of_texts(place)


def test_characters_that_java_counts_twice(k: Kernels) -> None:
    pattern = Pattern("b", line_end=False, ascii_only=False)
    assert values(k, k.patterns.position(array(k, ["b😀"], STRING), pattern), INTEGER) == [1]
    with pytest.raises(EngineLimit):
        k.patterns.position(array(k, ["😀b"], STRING), pattern)


def test_no_rows(k: Kernels) -> None:
    data = array(k, [], STRING)
    named = Pattern("(?P<g>b)", line_end=False, ascii_only=False)
    assert values(k, k.patterns.extract_all(data, named, LISTS), LISTS) == []
    plain = Pattern("b", line_end=False, ascii_only=False)
    assert values(k, k.patterns.position(data, plain), INTEGER) == []
