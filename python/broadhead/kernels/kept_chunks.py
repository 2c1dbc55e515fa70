"""Column chunks of Parquet files that stay on the device, compressed as the files have them.

Queries of a session read the same columns again. Decoding takes a third of the time that reading a
file takes, even one that the operating system has in memory: the rest is copies to the device.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from broadhead.files.input_file import Ranges

    Span: TypeAlias = Any
    """Memory of the device with `ptr` and `size`; it lives as long as the object."""

    Load: TypeAlias = Callable[[Ranges], Sequence[Span]]


@dataclass(frozen=True, slots=True)
class _Loaded:
    """Ranges of a file that one call has loaded: their spans share one buffer."""

    file: Hashable
    offsets: tuple[int, ...]
    bytes: int


class KeptChunks:
    """The chunks that were used last, up to `limit` bytes. Safe for several threads.

    Attributes
    ----------
    limit
        Bytes of the device's memory; 0 if nothing is kept.
    """

    def __init__(self) -> None:
        self.limit = 0
        self._lock = threading.Lock()
        self._numbers = count()
        self._loaded: OrderedDict[int, _Loaded] = OrderedDict()
        self._spans: dict[Hashable, dict[int, tuple[int, Span]]] = {}
        self._bytes = 0

    def get(self, file: Hashable, ranges: Ranges, load: Load) -> list[Span]:
        """The bytes of the ranges of a file, on the device; those that are missing by `load`.

        `file` stands for one content: a changed file is another one. What `load` gives is complete
        for all streams. The caller holds the spans until the work of its stream with them is done.
        """
        with self._lock:
            found = [self._found(file, offset) for offset, _ in ranges]
        missing = [number for number, span in enumerate(found) if span is None]
        if missing:
            wanted = [ranges[number] for number in missing]
            spans = load(wanted)
            for number, span in zip(missing, spans, strict=True):
                found[number] = span
            self._keep(file, wanted, spans)
        return found

    def clear(self) -> None:
        """Give up all chunks that nobody uses."""
        with self._lock:
            self._shrink(0)

    def _found(self, file: Hashable, offset: int) -> Span | None:
        kept = self._spans.get(file, {}).get(offset)
        if kept is None:
            return None
        number, span = kept
        self._loaded.move_to_end(number)
        return span

    def _keep(self, file: Hashable, ranges: Ranges, spans: Sequence[Span]) -> None:
        size = sum(length for _, length in ranges)
        if size > self.limit:
            return
        with self._lock:
            self._shrink(self.limit - size)
            number = next(self._numbers)
            self._loaded[number] = _Loaded(file, tuple(offset for offset, _ in ranges), size)
            self._bytes += size
            of_file = self._spans.setdefault(file, {})
            for (offset, _), span in zip(ranges, spans, strict=True):
                of_file[offset] = number, span

    def _shrink(self, limit: int) -> None:
        """Give up what was not used for longest, until no more than `limit` bytes are left."""
        while self._bytes > limit:
            number, loaded = self._loaded.popitem(last=False)
            self._bytes -= loaded.bytes
            of_file = self._spans[loaded.file]
            for offset in loaded.offsets:
                # another thread may have loaded the same range
                if of_file.get(offset, (None,))[0] == number:
                    del of_file[offset]
            if not of_file:
                del self._spans[loaded.file]


CHUNKS = KeptChunks()
"""Those of the process."""
