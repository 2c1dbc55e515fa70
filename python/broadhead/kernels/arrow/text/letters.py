"""Strings changed letter by letter."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.text.groups import in_groups
from broadhead.kernels.arrow.text.substrings import content, is_ascii, of_content
from broadhead.kernels.arrow.text.unicode_text import decoded, encoded, totals

Array = Any
Numbers = np.ndarray[Any, Any]

_SPACE = ord(" ")
_UPPER = np.frombuffer(bytes(range(256)).upper(), np.uint8)
_LOWER = np.frombuffer(bytes(range(256)).lower(), np.uint8)
_NEW_LETTERS = re.compile(
    "[\u019b\u0264\u1c89\u1c8a\u2c2f\u2c5f\ua7c0\ua7c1\ua7cb-\ua7dc"
    "\U00010570-\U000105bf\U00010d50-\U00010d8f]"
)
"""Letters that have another case in Unicode 14 or later only: Java 17 has Unicode 13."""
_CAPITAL_SIGMA = "Σ"
_BETWEEN_WORDS = frozenset(" ,;!?/()\n")
_GREATEST_LETTER = "\u1fff"
"""Java and Python agree on small letters of sigma next to letters up to this one."""

_SOUNDS = np.zeros(256, np.uint8)
for _letter, _sound in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "01230127022455012623017202", strict=True):
    _SOUNDS[[ord(_letter), ord(_letter.lower())]] = int(_sound)
_SILENT = 7
"""H and W, which leave the letters around them neighbours."""

_SOUNDEX_LENGTH = 4
_NO_LUHN = 1 << 20
"""What a character that is no digit adds to a sum of digits."""

_KINDS = {"Lu": "upper", "Ll": "lower"}
_BMP = 0x10000


def _here(data: Array) -> tuple[Numbers, Numbers]:
    """The bytes of the rows, and the bounds of the rows among them."""
    bounds = views.offsets(data)
    return content(data)[bounds[0] : bounds[-1]], bounds - bounds[0]


def initcap(data: Array) -> Array:
    """The first character of each word in title case, the others in lower case."""
    here, bounds = _here(data)
    changed = _LOWER[here]
    first = np.zeros(len(here), bool)
    first[1:] = here[:-1] == _SPACE
    first[bounds[:-1][bounds[:-1] < len(here)]] = True
    changed[first] = _UPPER[changed[first]]
    result = of_content(changed, np.diff(bounds), pa.string(), data)
    if is_ascii(data):
        return result
    others = logic.is_true(pc.invert(pc.string_is_ascii(data)))
    rows = data.filter(others)
    check_cases(rows)
    check_sigmas(rows)
    rest = pa.array([_initcap(text) for text in rows.to_pylist()], pa.string())
    return views.contiguous(pc.replace_with_mask(result, others, rest))


def _initcap(text: str) -> str:
    return " ".join(
        word[0].title() + word.lower()[len(word[0].lower()) :] if word else ""
        for word in text.split(" ")
    )


def check_cases(data: Array) -> None:
    """Raise `EngineLimit` for texts whose cases may not be the same in Java and in Python."""
    codes, _ = decoded(data)
    if not len(codes):
        return
    seen = np.zeros(int(codes.max()) + 1, bool)
    seen[codes] = True
    characters = "".join(map(chr, np.flatnonzero(seen)))
    if _NEW_LETTERS.search(characters) or any(unicodedata.category(c) == "Cn" for c in characters):
        raise EngineLimit("a case of a letter that is not in every version of Unicode")


def check_sigmas(data: Array) -> None:
    """Raise `EngineLimit` for texts with a capital sigma that Java may take for another one.

    At the end of a word its small letter differs, and Java's words are not Python's.
    """
    texts = data.filter(logic.is_true(pc.match_substring(data, _CAPITAL_SIGMA)))
    if not all(map(_is_word, set("".join(texts.drop_null().to_pylist())))):
        raise EngineLimit("a capital sigma next to characters other than letters")


def _is_word(character: str) -> bool:
    letter = character <= _GREATEST_LETTER and unicodedata.category(character) in _KINDS
    return letter or character in _BETWEEN_WORDS


def translate_bytes(data: Array, characters: Mapping[int, str]) -> Array:
    """Each of these ASCII characters replaced by another one, or by ''."""
    here, bounds = _here(data)
    table = np.arange(256, dtype=np.uint8)
    dropped = np.zeros(256, bool)
    for code, to in characters.items():
        table[code] = ord(to) if to else 0
        dropped[code] = not to
    changed = table[here]
    if not dropped.any():
        return of_content(changed, np.diff(bounds), pa.string(), data)
    gone = dropped[here]
    offsets = np.flatnonzero(gone)
    bounds = bounds - np.searchsorted(offsets, bounds)
    return of_content(changed[~gone], np.diff(bounds), pa.string(), data)


def soundex(data: Array) -> Array:
    """The Soundex code of a string that begins with an ASCII letter; others are unchanged."""
    here, bounds = _here(data)
    rows = len(data)
    filled = np.diff(bounds) > 0
    first = np.zeros(rows, np.uint8)
    first[filled] = _UPPER[here[bounds[:-1][filled]]]
    coded = (first >= ord("A")) & (first <= ord("Z"))
    digits = np.full((rows, _SOUNDEX_LENGTH), ord("0"), np.uint8)
    digits[:, 0] = first
    _hear(here, bounds, np.flatnonzero(coded), digits)
    codes = of_content(digits.ravel(), np.full(rows, _SOUNDEX_LENGTH), pa.string())
    return views.contiguous(pc.if_else(views.array(coded, pa.bool_(), data), codes, data))


def _hear(here: Numbers, bounds: Numbers, rows: Numbers, digits: Numbers) -> None:
    """Sets the digits of these rows: one byte of all rows after another, until they have three."""
    offsets, ends = bounds[rows] + 1, bounds[rows + 1]
    last = _SOUNDS[here[bounds[rows]]]
    heard = np.ones(len(rows), np.int64)
    while True:
        going = (offsets < ends) & (heard < _SOUNDEX_LENGTH)
        if not going.all():
            state = (rows, offsets, ends, last, heard)
            rows, offsets, ends, last, heard = (x[going] for x in state)
        if not len(rows):
            return
        sound = _SOUNDS[here[offsets]]
        new = np.flatnonzero((sound != 0) & (sound != _SILENT) & (sound != last))
        digits[rows[new], heard[new]] = sound[new] + ord("0")
        heard[new] += 1
        last = np.where(sound == _SILENT, last, sound)
        offsets = offsets + 1


def mask(data: Array, replacements: Mapping[str, str]) -> Array:
    """Letters, digits and others replaced by one character each."""
    if is_ascii(data) and all(to.isascii() for to in replacements.values()):
        return translate_bytes(data, {
            code: replacements[_kind(chr(code))]
            for code in range(128)
            if _kind(chr(code)) in replacements
        })  # fmt: skip
    codes, counts = decoded(data)
    table, known = _kinds()
    within = np.minimum(codes, _BMP - 1)
    if not known[within][codes < _BMP].all():
        raise EngineLimit("mask of a character that is not in every version of Unicode")
    kinds = np.where(codes < _BMP, table[within], len(_NAMES) - 1)
    changed = codes.copy()
    for number, name in enumerate(_NAMES):
        if name in replacements:
            changed[kinds == number] = ord(replacements[name])
    if "other" in replacements and (codes >= _BMP).any():
        twice = np.where(codes >= _BMP, 2, 1)
        changed, counts = np.repeat(changed, twice), totals(twice, counts)
    return encoded(changed, counts, data)


_NAMES = ("upper", "lower", "digit", "other")


def _kind(character: str) -> str:
    if unicodedata.decimal(character, None) is not None:
        return "digit"
    return _KINDS.get(unicodedata.category(character), "other")


def may_be_digit(character: str) -> bool:
    """Whether it is a decimal digit, or one in a newer Unicode than this Python's."""
    return _kind(character) == "digit" or unicodedata.category(character) == "Cn"


@cache
def _kinds() -> tuple[Numbers, Numbers]:
    """The kind of each character of the Basic Multilingual Plane, and whether it never changed."""
    old = unicodedata.ucd_3_2_0.category
    kinds = np.array([_NAMES.index(_kind(chr(code))) for code in range(_BMP)], np.uint8)
    known = np.array([old(chr(c)) == unicodedata.category(chr(c)) for c in range(_BMP)])
    return kinds, known


def passes_luhn(data: Array) -> Array:
    """Whether the digits have the checksum; of characters that are no digits none has."""
    pairs, counts = in_groups(data, 2, ord("0"), front=True)
    sums = totals(_luhn_of_pairs()[pairs.reshape(-1).view("<u2")], counts)
    return views.array((sums % 10 == 0) & (sums < _NO_LUHN) & (counts > 0), pa.bool_(), data)


@cache
def _luhn_of_pairs() -> Numbers:
    """What two bytes, the first of them doubled, add to the sum of the digits."""
    digits = np.full(256, _NO_LUHN)
    digits[ord("0") : ord("9") + 1] = np.arange(10)
    doubled = np.where(digits < 10, digits * 2 - 9 * (digits > 4), _NO_LUHN)
    return (digits[:, None] + doubled[None, :]).reshape(-1)
