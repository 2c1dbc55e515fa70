"""Random regular expressions: RE2 finds what Java finds, for all that the planner accepts."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow import patterns
from broadhead.kernels.interface import Pattern
from broadhead.types import STRING, ArrayType
from sql_runs import is_nightly

if TYPE_CHECKING:
    from spark.answers import Answers

ATOMS = (
    "a", "b", "é", "😀", ".", "[ab]", "[^a]", "[a-cé]", "[\\w-]", "\\d", "\\s", "\\S", "\\W", "\\.",
    "\\p{Upper}", "\\P{Alpha}", "\\x41", "\\u00e9", "\\bb", "\\Qa.\\E", "]", "}", "-",
)  # fmt: skip
SUFFIXES = ("", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?")
CHARACTERS = "aabbcAB é😀1_.-]} \n\r\u2028"
PATTERNS, TEXTS = 400 if is_nightly() else 60, 40
LISTS = ArrayType("array", STRING, contains_null=True)


def pattern(chance: random.Random, depth: int = 2) -> str:
    """A pattern of atoms, groups, alternatives and repetitions."""
    parts = []
    for _ in range(chance.randrange(1, 4)):
        if depth and chance.random() < 0.3:
            parts.append(f"{chance.choice(['(', '(?:', '(?<n>'])}{pattern(chance, depth - 1)})")
        else:
            parts.append(chance.choice(ATOMS))
        parts[-1] += chance.choice(SUFFIXES)
    if chance.random() < 0.2:
        parts.insert(chance.randrange(len(parts)), "|")
    return "".join(parts)


def whole(chance: random.Random) -> str:
    start = chance.choice(["", "", "", "^", "(?i)", "(?s)", "\\A"])
    return start + pattern(chance) + chance.choice(["", "", "", "$", "\\z"])


@pytest.fixture(scope="module")
def java(answers: Answers) -> Any:
    return answers.session._jvm


def test_matches_groups_and_replacements_are_those_of_java(java: Any, random_seed: str) -> None:
    chance = random.Random(random_seed)
    parser = java.org.apache.spark.sql.broadhead.encoding.JavaPattern
    accepted = compared = 0
    for _ in range(PATTERNS):
        text = whole(chance)
        parsed = parser.parse(text)
        if parsed.isLeft():
            continue
        accepted += 1
        found = parsed.toOption().get()
        compiled = java.java.util.regex.Pattern.compile(text)
        texts = ["".join(chance.choices(CHARACTERS, k=chance.randrange(7))) for _ in range(TEXTS)]
        compared += compare(found, compiled, text, texts)
    assert accepted > PATTERNS // 4
    assert compared > accepted * TEXTS // 2


def compare(found: Any, compiled: Any, text: str, texts: list[str]) -> int:
    """Compares each text that RE2 may read; the number of these."""
    count = 0
    group = 0 if not found.groups() or found.isRepeated(1) else 1
    flags = found.endsLines(), found.findsWords()
    for subject in texts:
        data = pa.array([subject])
        matcher = compiled.matcher(subject)
        expected = matcher.find()
        try:
            matches = patterns.matches(data, Pattern(found.plain(), *flags))
            extracted = patterns.extract(data, Pattern(found.withGroup(group), *flags))
            replaced = patterns.replace(data, Pattern(found.withGroups(), *flags), "<\\0>")
            every = patterns.extract_all(data, Pattern(found.withGroup(group), *flags), LISTS)
            count_ = patterns.count(data, Pattern(found.withGroup(group), *flags))
            plain = Pattern(found.plain(), *flags)
            place = None if "😀" in subject else patterns.position(data, plain)
        except EngineLimit:
            continue
        count += 1
        where = (text, subject)
        assert matches[0].as_py() == expected, where
        assert extracted[0].as_py() == ((matcher.group(group) or "") if expected else ""), where
        if place is not None:
            assert place[0].as_py() == (matcher.start() + 1 if expected else 0), where
        if not found.matchesEmpty():
            assert every[0].as_py() == all_of(compiled.matcher(subject), group), where
            assert count_[0].as_py() == len(every[0]), where
            assert replaced[0].as_py() == compiled.matcher(subject).replaceAll("<$0>"), where
    return count


def all_of(matcher: Any, group: int) -> list[str]:
    """The texts of a group in all matches."""
    found = []
    while matcher.find():
        found.append(matcher.group(group) or "")
    return found


@pytest.mark.parametrize(
    "text",
    ["a*+", "(?=a)", "(a)\\1", "[a&&b]", "[a[b]]", "(a*)*", "a$b", "(?m)^a", "\\p{L}",
     "\\G", "a{1001}", "[z-a]", "(", "a)", "*a", "\\y", "a**", "(?i)\\p{Lower}", "[]a]", "x{",
     "\\0101", "(a{50}){50}", "(?<n>a)(?<n>b)"],
)  # fmt: skip
def test_what_others_read_differently_is_refused(java: Any, text: str) -> None:
    assert java.org.apache.spark.sql.broadhead.encoding.JavaPattern.parse(text).isLeft()


@pytest.mark.parametrize(
    ("written", "groups", "template"),
    [("a$1", 1, "a\\1"), ("$0", 0, "\\0"), ("\\$1", 0, "$1"), ("\\\\", 0, "\\\\"), ("$1", 0, None),
     ("$12", 1, "\\12"), ("$12", 12, None), ("${n}", 1, None), ("a\\", 0, None), ("$", 0, None)],
)  # fmt: skip
def test_templates(java: Any, written: str, groups: int, template: str | None) -> None:
    found = java.org.apache.spark.sql.broadhead.encoding.JavaPattern.template(written, groups)
    assert (found.get() if found.isDefined() else None) == template
