"""The objects of a whole file of JSON, which is `multiLine`: one object, or an array of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.errors import EngineLimit
from broadhead.operators.scan.text.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPACES = b" \t\n\r"
_CHUNK_BYTES = 4 << 20
_OBJECT_DEPTH = 2
_QUOTE, _COMMA, _BACKSLASH = ord('"'), ord(","), ord("\\")
_DEPTHS = np.zeros(256, np.int8)
_DEPTHS[[ord("{"), ord("[")]] = 1
_DEPTHS[[ord("}"), ord("]")]] = -1
_STRUCTURE = _DEPTHS != 0
_STRUCTURE[_COMMA] = True


def root_objects(content: bytes, block_bytes: int) -> Iterator[Lines]:
    """The objects as lines, in blocks of about so many bytes.

    Raises `EngineLimit` for content that is no such thing, or has no object.
    """
    first = len(content) - len(content.lstrip(_SPACES))
    end = len(content.rstrip(_SPACES))
    if content.startswith(b"{", first):
        characters = np.frombuffer(content, np.uint8)
        yield Lines(content, characters, np.array([first]), np.array([end]))
        return
    if not content.startswith(b"[", first):
        raise EngineLimit("a JSON file has neither an object nor an array")
    opened, closed, commas = _objects(content, first, end)
    blocks = (opened - opened[0]) // block_bytes
    bounds = [0, *(np.flatnonzero(np.diff(blocks)) + 1).tolist(), len(opened)]
    for start, stop in pairwise(bounds):
        begin = int(opened[start])
        characters = np.frombuffer(content, np.uint8)[begin : int(closed[stop - 1]) + 1].copy()
        characters[commas[start : stop - 1] - begin] = ord(" ")
        starts, ends = opened[start:stop] - begin, closed[start:stop] + 1 - begin
        yield Lines(characters.tobytes(), characters, starts, ends)


def _objects(content: bytes, first: int, end: int) -> tuple[Any, Any, Any]:
    """Where objects of the array in this part start and end, and the commas between them."""
    opened, closed, commas = [], [], []
    state = _State()
    for positions, kinds, depths in _structures(content[:end], first, state):
        after = depths + _DEPTHS[kinds]
        opens = (after == _OBJECT_DEPTH) & (depths == 1)
        closes = (depths == _OBJECT_DEPTH) & (after == 1)
        if (kinds[opens] != ord("{")).any() or (kinds[closes] != ord("}")).any():
            raise EngineLimit("an array of a JSON file has other elements than objects")
        if (after[positions < end - 1] < 1).any():
            raise EngineLimit("a JSON file has something after its array")
        opened.append(positions[opens])
        closed.append(positions[closes])
        commas.append(positions[(kinds == _COMMA) & (depths == 1)])
    starts, ends, between = (np.concatenate(found) for found in (opened, closed, commas))
    if state.depth or state.in_text or content[end - 1] != ord("]"):
        raise EngineLimit("an array of a JSON file is not closed")
    if not len(starts) or len(between) != len(starts) - 1:
        raise EngineLimit("an array of a JSON file has no objects, or other commas than between")
    if (between < ends[:-1]).any() or (between > starts[1:]).any():
        raise EngineLimit("an array of a JSON file has commas that are not between objects")
    outside = content[first + 1 : int(starts[0])] + content[int(ends[-1]) + 1 : end - 1]
    if outside.strip(_SPACES) or _between(content, starts, ends).strip(_SPACES + b","):
        raise EngineLimit("an array of a JSON file has other elements than objects")
    return starts, ends, between


def _between(content: bytes, starts: Any, ends: Any) -> bytes:
    """All that stands between the objects."""
    sizes = starts[1:] - ends[:-1] - 1
    before = np.cumsum(sizes) - sizes
    positions = np.repeat(ends[:-1] + 1 - before, sizes) + np.arange(int(sizes.sum()))
    found: bytes = np.frombuffer(content, np.uint8)[positions].tobytes()
    return found


@dataclass(slots=True)
class _State:
    """What is open at a position."""

    depth: int = 0
    in_text: bool = False


def _structures(content: bytes, first: int, state: _State) -> Iterator[tuple[Any, Any, Any]]:
    """Brackets, braces and commas outside of texts: positions, characters, and depths before."""
    start = first
    while start < len(content):
        stop = min(start + _CHUNK_BYTES, len(content))
        while content[stop - 1] == _BACKSLASH and stop < len(content):
            stop += 1
        chunk = np.frombuffer(content, np.uint8)[start:stop]
        quotes = _quotes(chunk)
        positions = np.flatnonzero(_STRUCTURE[chunk])
        inside = (np.searchsorted(quotes, positions) + state.in_text) % 2 == 1
        positions = positions[~inside]
        kinds = chunk[positions]
        changes = _DEPTHS[kinds].astype(np.int64)
        after = state.depth + np.cumsum(changes)
        yield positions + start, kinds, after - changes
        state.depth = int(after[-1]) if len(after) else state.depth
        state.in_text = bool((len(quotes) + state.in_text) % 2)
        start = stop


def _quotes(chunk: Any) -> Any:
    """Positions of the quotes before which no backslash stands that counts.

    The chunk does not start after a backslash.
    """
    quotes = np.flatnonzero(chunk == _QUOTE)
    backslashes = np.flatnonzero(chunk == _BACKSLASH)
    if not len(backslashes) or not len(quotes):
        return quotes
    # the number of backslashes in a row up to each
    starts = np.diff(backslashes, prepend=-2) > 1
    firsts = np.maximum.accumulate(np.where(starts, np.arange(len(backslashes)), 0))
    counts = np.arange(len(backslashes)) - firsts + 1
    last = np.searchsorted(backslashes, quotes) - 1
    follows = (last >= 0) & (backslashes[np.maximum(last, 0)] == quotes - 1)
    return quotes[~(follows & (counts[np.maximum(last, 0)] % 2 == 1))]
