"""Texts in other character sets, as Java's coders write and read them."""

from __future__ import annotations

_CODECS = {
    "US-ASCII": "ascii",
    "ISO-8859-1": "latin-1",
    "UTF-16BE": "utf-16-be",
    "UTF-16LE": "utf-16-le",
    "UTF-16": "utf-16-be",
    "UTF-32": "utf-32-be",
}
_MARKS = {
    "UTF-16": ((b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le")),
    "UTF-32": ((b"\x00\x00\xfe\xff", "utf-32-be"), (b"\xff\xfe\x00\x00", "utf-32-le")),
}
_WRITTEN = {"UTF-16": b"\xfe\xff"}


def encoded(text: bytes, charset: str) -> bytes | None:
    """Valid UTF-8 in a character set; None if it does not have a character."""
    if not text:
        return b""
    try:
        return _WRITTEN.get(charset, b"") + text.decode().encode(_CODECS[charset])
    except UnicodeEncodeError:
        return None


def decoded(content: bytes, charset: str) -> str | None:
    """The text of bytes in a character set; None if they are invalid."""
    codec = _CODECS[charset]
    for mark, marked in _MARKS.get(charset, ()):
        if content.startswith(mark):
            content, codec = content[len(mark) :], marked
            break
    try:
        return content.decode(codec)
    except UnicodeDecodeError:
        return None


def is_utf8(content: bytes) -> bool:
    """Whether the bytes are valid UTF-8."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
