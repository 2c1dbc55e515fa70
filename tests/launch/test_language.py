"""The words of the sources and of the documentation: those of docs/glossary.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
SOURCES = {
    "python/broadhead": "*.py",
    "jvm/src/main": "*.scala",
    "docs": "*.md",
    "examples": "*.md",
}

WORDS = {
    "alike": "equal, the same",
    "at hand": "in memory",
    "beyond all numbers": "overflow to infinity",
    "in its stead": "instead",
    "in the stead": "instead",
    "its kin": "similar",
    "its like": "similar",
    "parted": "partitioned",
    "rim": "input, output",
    "stretch": "range, window frame",
    "stretches": "ranges, window frames",
    "that which": "a noun",
}
"""Words that have no meaning in the field, with the words to use instead."""


def files() -> list[Path]:
    found = [p for folder, kind in SOURCES.items() for p in (ROOT / folder).rglob(kind)]
    return sorted({*found, ROOT / "README.md"} - {GLOSSARY})


@pytest.mark.parametrize("word", WORDS)
def test_words_outside_the_glossary_are_not_used(word: str) -> None:
    pattern = re.compile(rf"(?<![a-z]){word.replace(' ', '[ _]')}(?![a-z])", re.IGNORECASE)
    wrong = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not wrong, f"use {WORDS[word]!r} (docs/glossary.md), not {word!r}: {wrong}"
