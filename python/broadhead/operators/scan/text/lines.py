"""The lines of a block of text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit
from broadhead.operators.scan.text.characters import positions_of

CPU_BLOCK_BYTES = 2 << 20
"""Blocks of lines whose columns stay in the processor's caches."""
GPU_BLOCK_BYTES = 64 << 20

_LF, _CR, _SPACE = 0x0A, 0x0D, 0x20
_ASCII = 0x80
_MOST_BYTES = 2**31 - 1


def block_bytes(device: str) -> int:
    """How many bytes of text a device reads at once."""
    return GPU_BLOCK_BYTES if device == "gpu" else CPU_BLOCK_BYTES


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a block of bytes.

    Attributes
    ----------
    content
        The bytes, with `margin` zeros before and after them.
    characters
        The bytes as an array.
    starts, ends
        Positions of the lines' contents, without what ends them.
    may_have_controls
        Whether there may be control characters in the lines.
    is_ascii
        Whether it is known that the block is ASCII.
    """

    content: bytes
    characters: Any
    starts: Any
    ends: Any
    may_have_controls: bool = True
    is_ascii: bool = False
    margin: int = 0

    @property
    def block(self) -> bytes:
        """The bytes; a copy if there is a margin."""
        return self.text(0, len(self.characters))

    @classmethod
    def of(cls, content: bytes, *, any_line_end: bool, margin: int = 0) -> Lines:
        """The lines of a block, which ends with a whole line."""
        characters = _without_margin(content, margin)
        if any_line_end and b"\r" in content:
            returns, feeds = characters == _CR, characters == _LF
            pairs = returns[:-1] & feeds[1:]
            alone = returns
            alone[:-1] &= ~pairs
            following = np.flatnonzero(feeds | alone) + 1
            both = np.zeros(len(characters) + 1, bool)
            both[2:] = pairs
            ends = following - 1 - both[following]
        else:
            following = positions_of(characters == _LF) + 1
            ends = following - 1
        return cls._between(content, margin, ends, following)

    @classmethod
    def of_no_controls(cls, content: bytes, *, margin: int = 0) -> Lines | None:
        """The same if line feeds are the only control characters; None for other blocks."""
        characters = _without_margin(content, margin)
        # other characters than those of ASCII are negative, too
        for is_ascii, signed in ((True, characters.view(np.int8)), (False, characters)):
            ends = positions_of(signed < _SPACE)
            if (characters[ends] == _LF).all():
                lines = cls._between(content, margin, ends, ends + 1)
                return replace(lines, may_have_controls=False, is_ascii=is_ascii)
        return None

    @classmethod
    def _between(cls, content: bytes, margin: int, ends: Any, following: Any) -> Lines:
        characters = _without_margin(content, margin)
        size = len(characters)
        if size and (not len(following) or following[-1] < size):
            following = np.append(following, size)
            ends = np.append(ends, size)
        starts = np.zeros(len(following), np.int64)
        starts[1:] = following[:-1]
        return cls(content, characters, starts, ends, margin=margin)

    def __len__(self) -> int:
        return len(self.starts)

    def slice(self, first: int) -> Lines:
        """The lines from the one with this number."""
        return replace(self, starts=self.starts[first:], ends=self.ends[first:])

    def where(self, mask: Any) -> Lines:
        """The lines where the mask is true, in a block of their own."""
        if mask.all() and not self.starts[0]:
            return self
        following = self.following()
        edges = np.flatnonzero(np.diff(mask, prepend=False, append=False))
        firsts, lasts = edges[::2], edges[1::2] - 1
        spans = zip(self.starts[firsts].tolist(), following[lasts].tolist(), strict=True)
        block = b"".join([self.text(start, end) for start, end in spans])
        lengths = (following - self.starts)[mask]
        starts = np.cumsum(lengths) - lengths
        ends = starts + (self.ends - self.starts)[mask]
        characters = np.frombuffer(block, np.uint8)
        return Lines(block, characters, starts, ends, self.may_have_controls, self.is_ascii)

    def following(self) -> Any:
        """Where what follows each line starts."""
        return np.append(self.starts[1:], len(self.characters))

    def counts_of(self, positions: Any) -> Any:
        """How many of these positions, which are in order, each line has."""
        each, rest = divmod(len(positions), max(1, len(self)))
        if each and not rest:
            firsts, lasts = positions[::each], positions[each - 1 :: each]
            if (firsts >= self.starts).all() and (lasts < self.following()).all():
                return np.full(len(self), each)
        bounds = np.searchsorted(positions, np.append(self.starts, len(self.characters)))
        return np.diff(bounds)

    def having(self, character: int) -> Any:
        """Mask of the lines that have a character."""
        return self.counts_of(np.flatnonzero(self.characters == character)) > 0

    def malformed(self) -> Any:
        """Mask of the lines that are no UTF-8."""
        found = np.zeros(len(self), bool)
        if not (self.is_ascii or self.content.isascii() or _is_utf8(self.content)):
            found = self.counts_of(np.flatnonzero(self.characters >= _ASCII)) > 0
            for number in np.flatnonzero(found).tolist():
                found[number] = not _is_utf8(self.line(number))
        return found

    def line(self, number: int) -> bytes:
        """The content of a line."""
        return self.text(int(self.starts[number]), int(self.ends[number]))

    def text(self, start: int, end: int) -> bytes:
        """The bytes between two positions."""
        return self.content[start + self.margin : end + self.margin]

    def strings(self) -> pa.Array:
        """The contents of all lines of the block; raises `EngineLimit` for more than 2 GiB."""
        if len(self.characters) > _MOST_BYTES:
            raise EngineLimit("a line has more than 2 GiB")
        offsets = np.zeros(len(self) + 1, np.int32)
        np.cumsum(self.ends - self.starts, out=offsets[1:])
        kept = np.ones(len(self.characters), bool)
        # at most two bytes end a line
        following = self.following()
        for step in (1, 2):
            positions = following - step
            kept[positions[positions >= self.ends]] = False
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self.characters[kept])]
        return pa.Array.from_buffers(pa.string(), len(self), buffers)


def _without_margin(content: bytes, margin: int) -> Any:
    """The bytes between the margins as an array."""
    return np.frombuffer(content, np.uint8)[margin : len(content) - margin]


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
