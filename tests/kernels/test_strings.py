"""Functions of UTF-8 strings."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pyarrow as pa
import pytest

from broadhead.errors import EngineLimit
from broadhead.kernels.interface import Kernels
from broadhead.types import BINARY, BOOLEAN, INTEGER, STRING
from kernels.physical import array, check, layouts, scalar, sliced, values

TEXTS = [
    "", None, "a", "Spark SQL", "ñandú", "😀😁x", "e\u0301", "a\0b", "\ud7ff\ue000\uffff", " \t\n ",
    "日本語テキスト", "x" * 100,
]  # fmt: skip
LEAST, MOST = -(2**31), 2**31 - 1


def test_length(k: Kernels) -> None:
    expected = [None if t is None else len(t) for t in TEXTS]
    check(k, k.strings.length, [(TEXTS, STRING)], INTEGER, expected)


def test_byte_length(k: Kernels) -> None:
    expected = [None if t is None else len(t.encode()) for t in TEXTS]
    check(k, k.strings.byte_length, [(TEXTS, STRING)], INTEGER, expected)
    raw = [b"", None, b"\xff\x00", b"abc"]
    check(k, k.strings.byte_length, [(raw, BINARY)], INTEGER, [0, None, 2, 3])


CASES = [
    ("", "", ""),
    ("aZ9_", "AZ9_", "az9_"),
    ("ß", "SS", "ß"),
    ("ẞ", "ẞ", "ß"),
    ("ﬁ", "FI", "ﬁ"),
    ("ŉ", "ʼN", "ŉ"),
    ("\u0390", "\u0399\u0308\u0301", "\u0390"),
    ("\u0130", "\u0130", "i\u0307"),
    ("ı", "I", "ı"),
    ("ÿ", "Ÿ", "ÿ"),
    ("µ", "Μ", "µ"),
    ("ǆ", "Ǆ", "ǆ"),
    ("ǅ", "Ǆ", "ǆ"),
    ("ΑΣ", "ΑΣ", "ας"),
    ("ΑΣΑ", "ΑΣΑ", "ασα"),
    ("Σ", "Σ", "σ"),
    ("ΑΣ, ΒΣ", "ΑΣ, ΒΣ", "ας, βς"),
    ("ςσ", "ΣΣ", "ςσ"),
    ("ᾳ", "ΑΙ", "ᾳ"),
    ("𐐨", "𐐀", "𐐨"),
    ("😀", "😀", "😀"),
    ("Ⓐ", "Ⓐ", "ⓐ"),
    ("Жж", "ЖЖ", "жж"),
]


def test_case(k: Kernels) -> None:
    texts = [text for text, _, _ in CASES]
    check(k, k.strings.upper, [([*texts, None], STRING)], STRING, [*(u for _, u, _ in CASES), None])
    check(k, k.strings.lower, [([*texts, None], STRING)], STRING, [*(v for _, _, v in CASES), None])


@pytest.mark.parametrize("text", ["ΑΣ0α", '"ΑΣ"', "ΑΣ.", "ʰΣ"])
def test_lower_leaves_sigmas_between_other_characters(k: Kernels, text: str) -> None:
    with pytest.raises(EngineLimit, match="sigma"):
        k.strings.lower(array(k, [text], STRING))


@pytest.mark.parametrize(
    "text", ["\u019b", "\u1c89", "\ua7c0", "\U00010570", "\U00010d50", "\u0378"]
)
def test_case_leaves_new_letters(k: Kernels, text: str) -> None:
    for case in (k.strings.upper, k.strings.lower, k.characters.initcap):
        with pytest.raises(EngineLimit, match="Unicode"):
            case(array(k, ["a", text], STRING))


def test_case_of_ascii(k: Kernels) -> None:
    texts = ["Az 09~", None, "", "zZ"]
    check(k, k.strings.upper, [(texts, STRING)], STRING, ["AZ 09~", None, "", "ZZ"])
    check(k, k.strings.lower, [(texts, STRING)], STRING, ["az 09~", None, "", "zz"])


def test_case_of_some_rows(k: Kernels) -> None:
    texts = ["a", None, "ß", "b", "ΑΣ", "c", None]
    check(k, k.strings.upper, [(texts, STRING)], STRING, ["A", None, "SS", "B", "ΑΣ", "C", None])
    check(k, k.strings.lower, [(texts, STRING)], STRING, ["a", None, "ß", "b", "ας", "c", None])


def spark_substring(text: str, position: int, length: int) -> str:
    """`UTF8String.substringSQL`."""
    size = len(text)
    if position > 0:
        start = position - 1
    elif position < 0:
        start = size + position
    else:
        start = 0
    end = min(start + length, MOST)
    return "" if end <= start else "".join(c for i, c in enumerate(text) if start <= i < end)


POSITIONS = [0, 1, 2, 5, -1, -2, -3, -9, -200, 200, MOST, LEAST, LEAST + 1]
LENGTHS = [0, 1, 2, 4, 1000, MOST, -1, LEAST]


@pytest.mark.parametrize("position", POSITIONS)
def test_substring_of_constants(k: Kernels, position: int) -> None:
    for length in LENGTHS:
        start, count = scalar(k, position, INTEGER), scalar(k, length, INTEGER)
        expected = [None if t is None else spark_substring(t, position, length) for t in TEXTS]
        check(
            k,
            lambda a, p=start, n=count: k.strings.substring(a, p, n),
            [(TEXTS, STRING)],
            STRING,
            expected,
        )


def test_substring_facts(k: Kernels) -> None:
    for position, length, expected in (
        (5, MOST, "k SQL"), (-3, MOST, "SQL"), (5, 1, "k"), (0, 2, "Sp"), (-11, 4, "Sp"),
        (-2, 1, "Q"), (-100, 5, ""), (10, 5, ""),
    ):  # fmt: skip
        found = k.strings.substring(
            array(k, ["Spark SQL"], STRING),
            scalar(k, position, INTEGER),
            scalar(k, length, INTEGER),
        )
        assert values(k, found, STRING) == [expected]


def test_substring_of_columns(k: Kernels) -> None:
    rows = [(t, p, n) for t in TEXTS for p in [*POSITIONS, None] for n in [*LENGTHS, None]]
    expected = [None if None in row else spark_substring(*row) for row in rows]  # type: ignore[arg-type]
    columns = [list(column) for column in zip(*rows, strict=True)]
    types = [STRING, INTEGER, INTEGER]
    check(
        k, k.strings.substring, list(zip(columns, types, strict=True)), STRING, expected,
        scalars=False,
    )  # fmt: skip
    few = list(range(0, len(rows), 53))
    check(
        k,
        k.strings.substring,
        [([column[i] for i in few], type) for column, type in zip(columns, types, strict=True)],
        STRING,
        [expected[i] for i in few],
    )


def test_substring_of_nulls(k: Kernels) -> None:
    data, one, none = array(k, ["ab"], STRING), scalar(k, 1, INTEGER), scalar(k, None, INTEGER)
    assert values(k, k.strings.substring(data, none, one), STRING) == [None]
    assert values(k, k.strings.substring(data, one, none), STRING) == [None]


def test_concat(k: Kernels) -> None:
    left = ["a", "", None, "ñ", "😀"]
    right = ["b", "", "x", None, "é"]
    expected = ["ab", "", None, None, "😀é"]
    check(
        k, lambda a, b: k.strings.concat([a, b]), [(left, STRING), (right, STRING)], STRING,
        expected,
    )  # fmt: skip
    data = array(k, left, STRING)
    assert values(k, k.strings.concat([data]), STRING) == left
    dash, none = scalar(k, "-", STRING), scalar(k, None, STRING)
    found = k.strings.concat([dash, data, dash, data])
    assert values(k, found, STRING) == ["-a-a", "--", None, "-ñ-ñ", "-😀-😀"]
    assert values(k, k.strings.concat([data, none]), STRING) == [None] * 5


@pytest.mark.parametrize("side", ["both", "leading", "trailing"])
@pytest.mark.parametrize("characters", [" ", "", "ab", "é😀", "x", ".*[", "\n\t "])
def test_trim(k: Kernels, side: Any, characters: str) -> None:
    texts = [
        *TEXTS, "  a  ", "abba", "bcab", "aba", "éxé😀", "x", "xx", ".[a]*.", "\u00a0a\u00a0",
        "\u3000 a",
    ]  # fmt: skip

    def exact(text: str) -> str:
        start, end = 0, len(text)
        while side != "trailing" and start < end and text[start] in characters:
            start += 1
        while side != "leading" and end > start and text[end - 1] in characters:
            end -= 1
        return text[start:end]

    expected = [None if t is None else exact(t) for t in texts]
    check(k, lambda a: k.strings.trim(a, side, characters), [(texts, STRING)], STRING, expected)


def matches(text: str, pattern: str, escape: str) -> bool:
    """LIKE by trying every length of each %."""
    reached = {0}
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            literal = next(characters)
        elif character == "%":
            reached = set(range(min(reached), len(text) + 1)) if reached else set()
            continue
        elif character == "_":
            reached = {i + 1 for i in reached if i < len(text)}
            continue
        else:
            literal = character
        reached = {i + 1 for i in reached if text[i : i + 1] == literal}
    return len(text) in reached


SUBJECTS = [
    None, "", "a", "ab", "abc", "special requests", "specialrequests", "requests special",
    "a special b requests c", "special\nrequests", "\n", "a\n", "\na", "a\nb", "a%b", "a_b",
    "a\\b", "100%", "a.b", "a*b", "[a]", "(a|b)", "^a$", "a+b?", "{1}", "😀", "a😀b", "é",
    "日本語", "aa", "aaa", "aaaa", "abab", "\0", "a\0b", "\r\n", "a\r", "A", "%", "_", "\\", "#",
    "-", "a-b", "a b", "&~", "specialXrequest", "specials requests requests",
    "requestsspecial requests",
]  # fmt: skip
PATTERNS = [
    "", "%", "%%", "_", "__", "_%", "%_", "%_%", "%__%", "a", "a%", "%a", "%a%", "a%b", "a_b",
    "a__b", "%special%requests%", "special%requests", "%a%b", "a%b%", "%a_b%", "a\\%b", "a\\_b",
    "a\\\\b", "%\\%", "%\\%%", "\\_", "a.b", "a*b", "[a]", "(a|b)", "^a$", "a+b?", "{1}", "%.%",
    "%*%", "%[%", "%(%|%", "%$", "^%", "\n", "%\n", "\n%", "a\n", "a%\n%", "_\n_", "😀", "_😀_",
    "é%", "日_語", "aa", "%aa%aa%", "%aa%a%", "a%a", "%ab%ab%", "\0", "a\0b", "%\0%", "\r%", "%\r",
    "#", "a-b", "a b", "%&~%", "%special%", "special_requests", "%s%s%s%s%s%",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_like(k: Kernels, pattern: str) -> None:
    expected = [None if t is None else matches(t, pattern, "\\") for t in SUBJECTS]
    check(k, lambda a: k.strings.like(a, pattern, "\\"), [(SUBJECTS, STRING)], BOOLEAN, expected)


@pytest.mark.parametrize("escape", ["#", "a", "/", "é", "^", "%", "_"])
def test_like_with_another_escape(k: Kernels, escape: str) -> None:
    others = [c for c in ("%", "_", "b", "\\") if c != escape]
    for parts in product([*others, escape + escape, *(escape + c for c in "%_" if c != escape)],
                         repeat=3):  # fmt: skip
        pattern = "".join(parts)
        texts = [*SUBJECTS, escape * 3, f"{escape}b", f"b{escape}%", "bbb", "\\\\b", "%_b"]
        expected = [None if t is None else matches(t, pattern, escape) for t in texts]
        found = k.strings.like(array(k, texts, STRING), pattern, escape)
        assert values(k, found, BOOLEAN) == expected, pattern


FUNCTIONS = {
    "starts_with": str.startswith,
    "ends_with": str.endswith,
    "contains": str.__contains__,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parts(k: Kernels, name: str) -> None:
    texts = ["", "a", "ab", "ba", "aba", "é", "aé", "😀a", "a.b", "a\0", "\0a", None]
    pairs = list(product(texts, texts))
    expected = [
        None if text is None or part is None else FUNCTIONS[name](text, part)
        for text, part in pairs
    ]
    left, right = [list(side) for side in zip(*pairs, strict=True)]
    check(k, getattr(k.strings, name), [(left, STRING), (right, STRING)], BOOLEAN, expected)


def test_strings_keep_their_nulls_when_sliced(k: Kernels) -> None:
    for data in layouts(k, [None, "a", None], STRING):
        assert values(k, k.strings.like(data, "%a%", "\\"), BOOLEAN) == [None, True, None]
        assert values(k, k.strings.like(data, "%", "\\"), BOOLEAN) == [None, True, None]


def texts_of_bytes(k: Kernels, rows: list[bytes | None]) -> Any:
    """Strings of any bytes, as files may hold them."""
    held = pa.array(rows, pa.binary())
    texts = pa.Array.from_buffers(pa.string(), len(rows), held.buffers(), held.null_count)
    return k.columns.from_arrow(texts, STRING)


def counting_characters(k: Kernels) -> dict[str, Callable[[Any], Any]]:
    """The functions that take a text for characters, not bytes."""
    two = scalar(k, 2, INTEGER)
    return {
        "length": k.strings.length,
        "upper": k.strings.upper,
        "lower": k.strings.lower,
        "substring": lambda data: k.strings.substring(data, two, two),
        "substring of columns": lambda data: k.strings.substring(
            data, array(k, [2] * k.columns.length(data), INTEGER), two
        ),
        "trim": lambda data: k.strings.trim(data, "both", " "),
        "like": lambda data: k.strings.like(data, "_%", "\\"),
    }


MALFORMED = [
    "41C3", "E282", "80", "41E24243", "F09F98", "20FF20", "C080", "C1BF", "F5808080", "E282C3A980",
    "C3A9A9", "F09F9880BF", "C3C3A9", "E2C3A9", "C3", "F0", "8080",
]  # fmt: skip


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_texts_are_refused(k: Kernels, text: str) -> None:
    row = bytes.fromhex(text)
    for rows in ([row], [b"ab", row, "\u00e9".encode()], [None, "\U0001f600".encode(), row, b""]):
        for name, function in counting_characters(k).items():
            with pytest.raises(EngineLimit, match="not UTF-8"):
                raise AssertionError(name, rows, function(texts_of_bytes(k, rows)))


def test_characters_do_not_go_on_in_the_next_row(k: Kernels) -> None:
    for rows in ([b"\xc3", b"\xa9"], [b"a\xe2", b"", b"\x82\xac"], [b"\xf0\x9f\x98", b"\x80b"]):
        for function in counting_characters(k).values():
            with pytest.raises(EngineLimit, match="not UTF-8"):
                function(texts_of_bytes(k, list(rows)))


def test_characters_of_all_lengths_are_well_formed(k: Kernels) -> None:
    codes = [0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]
    rows = ["".join(map(chr, pair)) for pair in product(codes, codes)]
    data = texts_of_bytes(k, [*(row.encode() for row in rows), b"", None])
    assert values(k, k.strings.length(data), INTEGER) == [*([2] * len(rows)), 0, None]
    assert values(k, k.strings.length(sliced(k, ["\u20ac", ""], STRING)), INTEGER) == [1, 0]
