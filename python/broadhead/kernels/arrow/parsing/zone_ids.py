"""Time zones that texts name, in the grammar of Java's ZoneId.of and of Spark's short offsets."""

from __future__ import annotations

import re

from broadhead.errors import EngineLimit

_SHORT_HOUR = re.compile(r"([+-])([0-9]):")
_SHORT_MINUTE = re.compile(r"([+-][0-9]{2}):([0-9])\Z")
_OFFSET = re.compile(
    r"([+-])(?:([0-9])|([0-9]{2})(?:([0-9]{2})([0-9]{2})?|:([0-9]{2})(?::([0-9]{2}))?)?)"
)
_PREFIXES = ("UTC", "GMT", "UT")
_AREAS = frozenset({
    "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Brazil",
    "Canada", "Chile", "Etc", "Europe", "Indian", "Mexico", "Pacific", "SystemV", "US",
})  # fmt: skip
_NAMES = frozenset({
    "ACT", "AET", "AGT", "ART", "AST", "BET", "BST", "CAT", "CET", "CNT", "CST", "CST6CDT", "CTT",
    "Cuba", "EAT", "ECT", "EET", "EST", "EST5EDT", "Egypt", "Eire", "GB", "GB-Eire", "GMT0",
    "Greenwich", "HST", "Hongkong", "IET", "IST", "Iceland", "Iran", "Israel", "JST",
    "Jamaica", "Japan", "Kwajalein", "Libya", "MET", "MIT", "MST", "MST7MDT", "NET", "NST", "NZ",
    "NZ-CHAT", "Navajo", "PLT", "PNT", "PRC", "PRT", "PST", "PST8PDT", "Poland", "Portugal", "ROC",
    "ROK", "SST", "Singapore", "Turkey", "UCT", "Universal", "VST", "W-SU", "WET", "Zulu",
})  # fmt: skip
"""Regions without an area, of any version of Java: the time zone database gets no new ones."""
_MOST_SECONDS = 18 * 3600
_SIXTY = 60


def offset_of(name: str) -> int | None:
    """Seconds east of UTC; None for what is no zone.

    Raises `EngineLimit` for the name of a region, whose rules the JVM has.
    """
    name = _SHORT_HOUR.sub(r"\g<1>0\2:", name, count=1)
    name = _SHORT_MINUTE.sub(r"\1:0\2", name, count=1)
    if name in _NAMES or name.partition("/")[0] in _AREAS:
        raise EngineLimit(f"the time zone {name!r} of a text")
    if name == "Z":
        return 0
    if name.startswith(("+", "-")):
        return _seconds(name)
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return _seconds(name[len(prefix) :]) if name != prefix else 0
    return None


def _seconds(offset: str) -> int | None:
    match = _OFFSET.fullmatch(offset)
    if match is None:
        return None
    hours = int(match[2] or match[3])
    minutes, seconds = int(match[4] or match[6] or 0), int(match[5] or match[7] or 0)
    total = hours * 3600 + minutes * 60 + seconds
    if minutes >= _SIXTY or seconds >= _SIXTY or total > _MOST_SECONDS:
        return None
    return -total if match[1] == "-" else total
