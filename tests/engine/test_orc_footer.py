"""Footers of ORC files."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import orc

from broadhead.errors import EngineLimit
from broadhead.files.input_file import LocalFile
from broadhead.files.orc_footer import Kind, read_orc_footer
from night import at_night

BY_DAY = ["uncompressed", "zlib", *at_night("snappy", "lz4", "zstd")]
"""Codecs: none, the usual one, and others that the same code reads."""


def table(columns: int, rows: int) -> pa.Table:
    numbers = random.Random(1)
    texts = [str(numbers.random()) for _ in range(rows)]
    return pa.table({f"a column of many {i}": texts for i in range(columns)})


@pytest.mark.parametrize("codec", BY_DAY)
@pytest.mark.parametrize("columns", [1, 3000, *at_night(90)])
def test_stripes_and_types(tmp_path: Path, codec: str, columns: int) -> None:
    """Long footers have several blocks, and more bytes than are read at once."""
    path = tmp_path / "a.orc"
    data = table(columns, 30_000 if columns == 1 else 30)
    orc.write_table(data, path, compression=codec, stripe_size=65536, batch_size=1000)
    footer = read_orc_footer(LocalFile(str(path)))
    assert footer.root.names == tuple(data.column_names)
    assert {child.kind for child in footer.root.children} == {Kind.STRING}
    file = orc.ORCFile(path)
    assert [stripe.rows for stripe in footer.stripes] == [
        file.read_stripe(number, columns=[data.column_names[0]]).num_rows
        for number in range(file.nstripes)
    ]
    assert footer.stripes[0].offset == 3
    assert max(stripe.end for stripe in footer.stripes) == 3 + file.content_length
    assert footer.writer_zone(str(path), footer.stripes[0]) in {"GMT", "UTC"}


@pytest.mark.parametrize("codec", BY_DAY)
def test_every_stripe_belongs_to_one_split(tmp_path: Path, codec: str) -> None:
    path = tmp_path / "a.orc"
    orc.write_table(table(1, 30_000), path, compression=codec, stripe_size=65536, batch_size=1000)
    footer = read_orc_footer(LocalFile(str(path)))
    length = path.stat().st_size
    for size in (1000, 4096, 65536, length):
        found = [
            stripe for start in range(0, length, size) for stripe in footer.stripes_of(start, size)
        ]
        assert found == list(footer.stripes)


@pytest.mark.parametrize("codec", BY_DAY)
def test_damaged_footers(tmp_path: Path, codec: str) -> None:
    """They are an error or another footer, and nothing else."""
    path = tmp_path / "a.orc"
    orc.write_table(table(9, 9), path, compression=codec)
    content = path.read_bytes()
    numbers = random.Random(1)
    for _ in range(300):
        damaged = bytearray(content)
        for _ in range(numbers.randint(1, 9)):
            damaged[-numbers.randint(1, len(content) // 2)] = numbers.randrange(256)
        path.write_bytes(damaged)
        with suppress(EngineLimit, OSError):
            read_orc_footer(LocalFile(str(path)))
