"""Column chunks that stay on a device, with bytes in the part of its memory."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from broadhead.kernels.kept_chunks import KeptChunks


class Files:
    """Files of bytes, and the ranges that were loaded of them."""

    def __init__(self, limit: int) -> None:
        self.chunks = KeptChunks()
        self.chunks.limit = limit
        self.loaded: list[tuple[str, int]] = []

    def get(self, file: str, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        def load(wanted: Sequence[tuple[int, int]]) -> list[bytes]:
            self.loaded.extend((file, offset) for offset, _ in wanted)
            return [content(file, *range_) for range_ in wanted]

        return self.chunks.get(file, ranges, load)


def content(file: str, offset: int, length: int) -> bytes:
    return f"{file}{offset}".encode().ljust(length, b".")[:length]


@pytest.fixture
def files() -> Files:
    return Files(limit=100)


def test_only_missing_ranges_are_loaded(files: Files) -> None:
    assert files.get("a", [(0, 10), (10, 20)]) == [content("a", 0, 10), content("a", 10, 20)]
    ranges = [(10, 20), (30, 5), (0, 10)]
    assert files.get("a", ranges) == [content("a", *range_) for range_ in ranges]
    assert files.loaded == [("a", 0), ("a", 10), ("a", 30)]


def test_another_content_of_a_path_is_another_file(files: Files) -> None:
    files.get("a, 1", [(0, 10)])
    assert files.get("a, 2", [(0, 10)]) == [content("a, 2", 0, 10)]
    assert files.loaded == [("a, 1", 0), ("a, 2", 0)]


def test_what_was_not_used_for_longest_is_given_up(files: Files) -> None:
    for name in "ab":
        files.get(name, [(0, 40)])
    files.get("a", [(0, 40)])
    files.get("c", [(0, 40)])
    files.loaded.clear()
    files.get("a", [(0, 40)])
    files.get("c", [(0, 40)])
    assert files.loaded == []
    files.get("b", [(0, 40)])
    assert files.loaded == [("b", 0)]


def test_more_than_the_limit_is_not_kept(files: Files) -> None:
    files.get("a", [(0, 60)])
    files.get("b", [(0, 50), (50, 51)])
    files.get("b", [(0, 50)])
    files.get("a", [(0, 60)])
    assert files.loaded == [("a", 0), ("b", 0), ("b", 50), ("b", 0), ("a", 0)]


def test_clear_gives_all_up(files: Files) -> None:
    files.get("a", [(0, 60)])
    files.chunks.clear()
    files.get("a", [(0, 60)])
    assert files.loaded == [("a", 0), ("a", 0)]


def test_threads(files: Files) -> None:
    def reads(seed: int) -> None:
        random = Random(seed)
        for _ in range(300):
            name = random.choice("abcd")
            ranges = [(offset, 10) for offset in random.sample(range(0, 100, 10), 4)]
            assert files.get(name, ranges) == [content(name, *range_) for range_ in ranges]
            if random.random() < 0.02:
                files.chunks.clear()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(reads, range(4)))
    files.chunks.clear()
    assert files.chunks._bytes == 0
    assert files.chunks._spans == {}
