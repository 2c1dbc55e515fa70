"""Texts for bytes or numbers, and back."""

from __future__ import annotations

import re
from functools import partial
from urllib.parse import quote_plus

import pytest

from broadhead.errors import EngineLimit
from broadhead.kernels.interface import Kernels
from broadhead.types import BINARY, BOOLEAN, LONG, STRING
from kernels.physical import array, check, values

BYTES = [b"", None, b"Spark", b"\x00\xff", b"Spark"]


def test_digests(k: Kernels) -> None:
    found = k.encodings.digest(array(k, [b"Spark", None], BINARY), "md5")
    assert values(k, found, STRING) == ["8cde774d6f7333752ed72cacddb05126", None]
    check(k, k.encodings.crc32, [(BYTES, BINARY)], LONG,
          [0, None, 1557323817, 1826356594, 1557323817])  # fmt: skip
    check(k, k.encodings.set_bits, [(BYTES, BINARY)], LONG, [0, None, 19, 8, 19])


def test_hex(k: Kernels) -> None:
    expected = ["", None, "537061726B", "00FF", "537061726B"]
    check(k, k.encodings.hex, [(BYTES, BINARY)], STRING, expected)
    numbers = [0, None, 255, -1, 16]
    check(k, k.encodings.hex, [(numbers, LONG)], STRING, ["0", None, "FF", "F" * 16, "10"])
    check(k, k.encodings.binary_digits, [(numbers, LONG)], STRING,
          ["0", None, "1" * 8, "1" * 64, "10000"])  # fmt: skip


def test_unhex(k: Kernels) -> None:
    result, failed = k.encodings.unhex(array(k, ["0f", "f", "", None, "0g", "ä"], STRING))
    assert values(k, result, BINARY) == [b"\x0f", b"\x0f", b"", None, None, None]
    assert failed is not None
    assert values(k, failed, BOOLEAN) == [False, False, False, False, True, True]
    assert k.encodings.unhex(array(k, ["0f", None], STRING))[1] is None


def test_convert_base(k: Kernels) -> None:
    found = k.encodings.convert_base(array(k, ["ff", "-1", " 1z", "", None], STRING), 16, 10)
    assert values(k, found, STRING) == ["255", "18446744073709551615", "1", None, None]
    with pytest.raises(EngineLimit, match="64 bits"):
        k.encodings.convert_base(array(k, ["F" * 16], STRING), 16, 10)


def test_base64(k: Kernels) -> None:
    data = array(k, [b"a" * 60, b"", None], BINARY)
    lines = k.encodings.base64(data, lines=True)
    assert values(k, lines, STRING) == ["YWFh" * 19 + "\r\nYWFh", "", None]
    assert values(k, k.encodings.base64(data, lines=False), STRING) == ["YWFh" * 20, "", None]
    assert values(k, k.encodings.unbase64(lines, strict=False), BINARY) == [b"a" * 60, b"", None]


@pytest.mark.parametrize(
    ("text", "strict"),
    [("QQ=", False), ("Q", False), ("QQ=\n=", False), ("QQ", True), ("Q Q=", True)],
)
def test_unbase64_leaves_odd_texts(k: Kernels, text: str, *, strict: bool) -> None:
    with pytest.raises(EngineLimit, match="Base64"):
        k.encodings.unbase64(array(k, [text], STRING), strict=strict)


def test_form_encoding(k: Kernels) -> None:
    texts = ["a b~*-_.é", "", None]
    check(k, k.encodings.url_encode, [(texts, STRING)], STRING, ["a+b%7E*-_.%C3%A9", "", None])
    encoded = ["a+b%7E%c3%A9", "", None]
    check(k, k.encodings.url_decode, [(encoded, STRING)], STRING, ["a b~é", "", None])
    for text in ("%", "%4", "%zz", "%-1", "é", "%C3"):
        with pytest.raises(EngineLimit, match="form encoding"):
            k.encodings.url_decode(array(k, [text], STRING))


def test_form_encoding_of_all_characters(k: Kernels) -> None:
    points = [*range(0x250), 0x20AC, 0xFFFD, 0x1F600, 0x10FFFF]
    texts = [chr(point) for point in points] + ["", None, "a b%41+é" * 3, "%25", None, ""]
    expected = [
        None if text is None else quote_plus(text, safe="*").replace("~", "%7E") for text in texts
    ]
    check(k, k.encodings.url_encode, [(texts, STRING)], STRING, expected)
    check(k, k.encodings.url_decode, [(expected, STRING)], STRING, texts)
    lower = [text and re.sub("%..", lambda found: found[0].lower(), text) for text in expected]
    check(k, k.encodings.url_decode, [(lower, STRING)], STRING, texts)
    for text in ("%4", "%2%41", "%", "%C3", "%41%C3%28", "ok%"):
        with pytest.raises(EngineLimit, match="form encoding"):
            k.encodings.url_decode(array(k, ["a", "%41", text, "b1"], STRING))


def test_character_sets(k: Kernels) -> None:
    texts = array(k, ["é", "", None, "€"], STRING)
    utf16, _ = k.encodings.encode(texts, "UTF-16")
    assert values(k, utf16, BINARY) == [b"\xfe\xff\x00\xe9", b"", None, b"\xfe\xff\x20\xac"]
    latin, failed = k.encodings.encode(texts, "ISO-8859-1")
    assert values(k, latin, BINARY) == [b"\xe9", b"", None, None]
    assert failed is not None
    assert values(k, failed, BOOLEAN) == [False, False, False, True]
    marked = array(k, [b"\xff\xfe\xe9\x00", b"\x00\xe9", b"", None, b"\x00"], BINARY)
    read, failed = k.encodings.decode(marked, "UTF-16")
    assert values(k, read, STRING) == ["é", "é", "", None, None]
    assert failed is not None
    plain, failed = k.encodings.decode(array(k, ["é".encode(), b"\xff", None], BINARY), "UTF-8")
    assert values(k, plain, STRING) == ["é", None, None]
    assert failed is not None
    assert values(k, failed, BOOLEAN) == [False, True, False]


def test_well_formed(k: Kernels) -> None:
    texts = ["a", "é", None]
    check(k, k.encodings.is_well_formed, [(texts, STRING)], BOOLEAN, [True, True, None])
    check(k, partial(k.encodings.made_well_formed), [(texts, STRING)], STRING, texts)
