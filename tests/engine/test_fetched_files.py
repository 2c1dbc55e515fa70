"""Files that are fetched by ranges: what is asked for, when, and what is left."""

from __future__ import annotations

import gc
import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from broadhead.files.fetched_file import MOST_GAP, REQUEST_BYTES, FetchedFile, requests
from broadhead.files.input_file import LocalFile, read_range
from broadhead.files.parquet_footer import open_footer, open_footers
from broadhead.files.ranges_ahead import RangesAhead, Wanted
from broadhead.kernels.load import load_kernels
from broadhead.types import LONG, STRING

if TYPE_CHECKING:
    import mmap
    from collections.abc import Iterator

    from broadhead.files.input_file import Ranges


class Store:
    """A fetcher over a local file that keeps what it was asked for."""

    def __init__(self, path: Path, *, fails: bool = False) -> None:
        self._content = path.read_bytes()
        self._fails = fails
        self._pool = ThreadPoolExecutor(4)
        self.asked: list[tuple[int, int]] = []
        self.waits = 0

    def fetch(self, file: FetchedFile, ranges: Ranges, target: mmap.mmap) -> Future[None]:
        self.asked.extend(ranges)
        return self._pool.submit(self._fetch, ranges, target)

    def _fetch(self, ranges: Ranges, target: mmap.mmap) -> None:
        if self._fails:
            raise OSError("503 Slow Down")
        for start, size in ranges:
            target[start : start + size] = self._content[start : start + size]

    def waited(self, file: FetchedFile, nanoseconds: int) -> None:
        self.waits += 1


def fetched(path: Path, store: Store) -> FetchedFile:
    return FetchedFile(0, f"store://{path}", path.stat().st_size, 1, store)


def opened_memory() -> int:
    links = (link for link in Path("/proc/self/fd").iterdir() if link.is_symlink())
    return sum("broadhead-file" in str(link.readlink()) for link in links)


@pytest.fixture(autouse=True)
def nothing_stays_open() -> Iterator[None]:
    before = opened_memory()
    yield
    gc.collect()
    assert opened_memory() == before


def table(path: Path, rows: int = 1000) -> Path:
    columns = {
        "n": list(range(rows)),
        "s": [f"text {n % 7}" for n in range(rows)],
        "x": [0.5] * rows,
    }
    pq.write_table(pa.table(columns), path, row_group_size=100)
    return path


def test_near_ranges_are_asked_for_together_and_long_ones_divided() -> None:
    near = [(0, 10), (20, 10)]
    far = (MOST_GAP + 1000, 5)
    assert list(requests([*near, far])) == [near, [far]]
    assert list(requests([(7, REQUEST_BYTES + 1)])) == [
        [(7, REQUEST_BYTES)],
        [(7 + REQUEST_BYTES, 1)],
    ]
    assert list(requests([])) == []


def test_footers_of_fetched_files_are_those_of_local_ones(tmp_path: Path) -> None:
    path = table(tmp_path / "a.parquet")
    store = Store(path)
    footer = open_footer(fetched(path, store))
    local = open_footer(LocalFile(str(path)))
    assert footer.metadata.equals(local.metadata)
    assert footer.encoded == local.encoded
    before = len(store.asked)
    assert open_footer(fetched(path, store)) is footer
    assert len(store.asked) == before


def test_a_footer_that_is_longer_than_the_tail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = table(tmp_path / "a.parquet", 4000)
    monkeypatch.setattr("broadhead.files.parquet_footer._TAIL_BYTES", 100)
    store = Store(path)
    assert open_footer(fetched(path, store)).metadata.num_rows == 4000
    assert len(store.asked) == 2


@pytest.mark.parametrize(
    "content", [b"PAR1", b"PAR1" + b"\xff" * 20 + b"PAR1", b"no parquet at all"]
)
def test_damaged_files_raise_what_local_ones_raise(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(content)
    with pytest.raises((pa.ArrowInvalid, OSError)) as local:
        open_footer(LocalFile(str(path)))
    with pytest.raises(type(local.value)):
        open_footer(fetched(path, Store(path)))
    assert opened_memory() == 0


def test_files_without_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"")
    with pytest.raises(OSError, match="has no bytes"):
        open_footer(fetched(path, Store(path)))


@pytest.mark.parametrize("names", [["n"], ["s", "n"], []])
def test_row_groups_are_read_as_from_a_local_file(tmp_path: Path, names: list[str]) -> None:
    path = table(tmp_path / "a.parquet")
    k = load_kernels("arrow")
    types = [{"n": LONG, "s": STRING}[name] for name in names]
    store = Store(path)

    def rows(file: FetchedFile | LocalFile) -> list[tuple[list[object], list[int]]]:
        found = k.parquet.read([(file, [0, 3, 9])], names, types, 150)
        return [([a.to_pylist() for a in arrays], counts) for arrays, counts in found]

    open_footer(fetched(path, store))
    store.asked.clear()
    assert rows(fetched(path, store)) == rows(LocalFile(str(path)))
    assert opened_memory() == 0
    assert sum(size for _, size in store.asked) <= path.stat().st_size / 3


def test_a_fault_is_raised_where_the_bytes_are_needed(tmp_path: Path) -> None:
    path = table(tmp_path / "a.parquet")
    open_footer(fetched(path, Store(path)))
    failing = fetched(path, Store(path, fails=True))
    with pytest.raises(OSError, match="503"):
        list(load_kernels("arrow").parquet.read([(failing, [0])], ["n"], [LONG], 1000))
    assert opened_memory() == 0


def test_footers_come_in_order_and_faults_in_their_place(tmp_path: Path) -> None:
    paths = [table(tmp_path / f"{number}.parquet", 100 + number) for number in range(20)]
    files = [fetched(path, Store(path, fails=n == 17)) for n, path in enumerate(paths)]
    footers = open_footers(files)
    assert [next(footers).metadata.num_rows for _ in range(17)] == list(range(100, 117))
    with pytest.raises(OSError, match="503"):
        next(footers)


def test_what_comes_next_is_asked_for_within_the_bound(tmp_path: Path) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(os.urandom(100_000))
    store = Store(path)
    file = fetched(path, store)
    wanted = [Wanted(file, lambda n=n: [(n * 10_000, 10_000)]) for n in range(10)]
    with RangesAhead(wanted, most_bytes=35_000) as ahead:
        for number in range(10):
            data = read_range(ahead.wait(number), number * 10_000, 10_000)
            assert data == path.read_bytes()[number * 10_000 :][:10_000]
            assert len(store.asked) <= min(10, number + 4)
            assert len(store.asked) >= min(10, number + 2)
            ahead.release(number)
    assert opened_memory() == 0


def test_released_ranges_take_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(os.urandom(1 << 20))
    with closing(fetched(path, Store(path)).open()) as opened:
        opened.wait([(0, 1 << 20)])
        full = Path(opened.path).stat().st_blocks
        opened.release([(0, 1 << 20)])
        assert Path(opened.path).stat().st_blocks < full / 100


def test_a_reader_that_stops_early_leaves_nothing(tmp_path: Path) -> None:
    path = table(tmp_path / "a.parquet")
    batches = load_kernels("arrow").parquet.read(
        [(fetched(path, Store(path)), range(10))], ["n"], [LONG], 100
    )
    before = opened_memory()
    next(iter(batches))
    batches.close()  # type: ignore[attr-defined]
    assert opened_memory() == before
