"""The words of the sources and of the documentation: those of docs/glossary.md."""

from __future__ import annotations

import json
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
    "strange": "not plain, unparsed",
    "stretch": "range, window frame",
    "stretches": "ranges, window frames",
    "that which": "a noun",
}
"""Words that have no meaning in the field, with the words to use instead."""

NAMES_OF_OTHERS = ("backend_priority", "serializeAggregateBufferInPlace")
"""Names of libraries that have such a word."""


def glossary_words() -> dict[str, str]:
    """The words in bold of the glossary's column "not", with the words to use instead."""
    lines = GLOSSARY.read_text(encoding="utf-8").splitlines()
    words: dict[str, str] = {}
    for line in lines:
        if line.startswith("| "):
            right, _, wrong = line.split("|")[1:4]
            for word in re.findall(r"\*\*(\w+)\*\*", wrong):
                words[word] = ", ".join(filter(None, (words.get(word), right.strip())))
    return words


FORBIDDEN = {**glossary_words(), **WORDS}


def pattern_of(word: str) -> re.Pattern[str]:
    """Finds a word alone, in the plural, and in names of any case."""
    written = word.replace(" ", "[ _]")
    named = f"{written[0].upper()}{written[1:]}"
    return re.compile(
        rf"(?<![A-Za-z]){written}s?(?![a-z])"
        rf"|(?<=[a-z]){named}s?(?![a-z])"
        rf"|(?<![A-Za-z])(?:{named}s?|{written.upper()}S?)(?![a-z])"
    )


def files() -> list[Path]:
    found = [p for folder, kind in SOURCES.items() for p in (ROOT / folder).rglob(kind)]
    return sorted({*found, ROOT / "README.md"} - {GLOSSARY})


def uses(path: Path, pattern: re.Pattern[str]) -> list[str]:
    """The lines of a file with a word, and the file itself if the word is in its name."""
    names = "|".join(NAMES_OF_OTHERS)
    lines = re.sub(names, "", path.read_text(encoding="utf-8")).splitlines()
    shown = str(path.relative_to(ROOT))
    found = [f"{shown}:{number}" for number, line in enumerate(lines, 1) if pattern.search(line)]
    return [*found, *([shown] if pattern.search(path.name) else [])]


@pytest.mark.parametrize("word", FORBIDDEN)
def test_words_outside_the_glossary_are_not_used(word: str) -> None:
    pattern = pattern_of(word)
    wrong = [use for path in files() for use in uses(path, pattern)]
    assert not wrong, f"use {FORBIDDEN[word]!r} (docs/glossary.md), not {word!r}: {wrong}"


def test_the_glossary_marks_its_words() -> None:
    assert glossary_words()["place"] == "row id, ordinal, permit"
    assert {"piece", "lacks", "locator", "stretch", "backend"} <= glossary_words().keys()


@pytest.mark.parametrize(
    ("text", "uses_it"),
    [
        ("a place", True),
        ("two_places", True),
        ("FunctionPlace", True),
        ("_MOST_PLACES", True),
        ("takesPlaces", True),
        ("replace", False),
        ("placeholder", False),
        ("ReplaceAll", False),
        ("placement", False),
    ],
)
def test_forms_of_a_word(text: str, uses_it: bool) -> None:
    assert bool(pattern_of("place").search(text)) is uses_it


NO_LONGER_TRUE = (
    "local files only",
    "writes of Parquet tables",
    "Broadhead reads Parquet.",
    "operator Scan csv is not supported",
    'does not have\\n",\n    "`regexp_replace`',
    "Spark 3.5, which Broadhead does not support",
)
"""What pages and notebooks said of earlier versions."""


@pytest.mark.parametrize("phrase", NO_LONGER_TRUE)
def test_pages_do_not_say_what_was_true_once(phrase: str) -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*")]
    texts = {page: page.read_text(encoding="utf-8") for page in pages if page.suffix in _TEXTS}
    assert [str(page.relative_to(ROOT)) for page, text in texts.items() if phrase in text] == []


_TEXTS = {".md", ".ipynb", ".py"}


@pytest.mark.parametrize("notebook", sorted((ROOT / "examples").rglob("*.ipynb")))
def test_notebooks_are_stored_with_what_they_show(notebook: Path) -> None:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert any("Runs in" in json.dumps(output) for output in outputs)
    # Spark's log names the host
    assert not any(output.get("name") == "stderr" for output in outputs)
