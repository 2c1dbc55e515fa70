"""What the classes of a jar need of Spark: the members that their code names."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SPARK = "org/apache/spark/"
OWN = ("org/apache/spark/sql/broadhead/", "org/apache/spark/sql/execution/broadhead/")
UNCALLED = {
    "MDC$", "logBasedOnLevel$", "getAliasMap$", "mergeAliases$", "mergeAndTrimAliases$"
}  # fmt: skip
"""Methods that traits of Spark 4.1 put into our classes, and that nothing of ours calls."""

_CLASS, _STRING, _NAME_AND_TYPE, _UTF8, _LONG, _DOUBLE = 7, 8, 12, 1, 5, 6
_MEMBERS = {9, 10, 11}
_WIDTHS = {3: 4, 4: 4, _LONG: 8, _DOUBLE: 8, _CLASS: 2, _STRING: 2, 9: 4, 10: 4, 11: 4,
           _NAME_AND_TYPE: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}  # fmt: skip
"""Bytes of each kind of constant after its tag, but for texts."""


def spark_members(classes: Iterable[Path]) -> list[str]:
    """Give `owner name descriptor` of each member of Spark's classes that class files name."""
    found = set()
    for path in classes:
        for owner, name, kind in _references(path.read_bytes()):
            if owner.startswith(SPARK) and not owner.startswith(OWN) and name not in UNCALLED:
                found.add(f"{owner} {name} {kind}")
    return sorted(found)


def _references(data: bytes) -> list[tuple[str, str, str]]:
    (count,) = struct.unpack_from(">H", data, 8)
    position, index = 10, 1
    constants: dict[int, tuple[int, bytes]] = {}
    while index < count:
        tag = data[position]
        text = 2 + struct.unpack_from(">H", data, position + 1)[0] if tag == _UTF8 else 0
        length = text or _WIDTHS[tag]
        constants[index] = (tag, data[position + 1 : position + 1 + length])
        position += 1 + length
        index += 2 if tag in {_LONG, _DOUBLE} else 1

    def text_of(number: int) -> str:
        return constants[number][1][2:].decode("utf-8", "replace")

    found = []
    for tag, body in constants.values():
        if tag in _MEMBERS:
            owner, pair = struct.unpack(">HH", body)
            name, kind = struct.unpack(">HH", constants[pair][1])
            (class_name,) = struct.unpack(">H", constants[owner][1])
            found.append((text_of(class_name), text_of(name), text_of(kind)))
    return found
