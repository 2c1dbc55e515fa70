"""Lines of splits, compared with Hadoop's rule for every split of a file."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from broadhead.files.input_file import LocalFile
from broadhead.files.line_blocks import line_blocks
from broadhead.operators.scan.text.lines import Lines

CONTENTS = st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r", b"\r\n", b"\xef\xbb\xbf"])).map(
    b"".join
)


def expected_lines(content: bytes, start: int, end: int, *, any_line_end: bool) -> list[bytes]:
    """The lines that start after `start`, or with the file, and not after `end`."""
    pattern = rb"([^\r\n]*)(\r\n|\r|\n|\Z)" if any_line_end else rb"([^\n]*)(\n|\Z)"
    found = []
    for match in re.finditer(pattern, content):
        position = match.start()
        is_inside = (position > start or start == 0) and position <= end
        if match.group() and is_inside:
            line = match.group(1)
            found.append(line.removeprefix(b"\xef\xbb\xbf") if position == 0 else line)
    return found


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=CONTENTS,
    split_bytes=st.integers(1, 20),
    block_bytes=st.integers(1, 8),
    any_line_end=st.booleans(),
)
def test_every_line_is_in_one_split(
    tmp_path: Path,
    content: bytes,
    split_bytes: int,
    block_bytes: int,
    any_line_end: bool,
) -> None:
    if content == b"\xef\xbb\xbf":
        return
    path = tmp_path / "lines"
    path.write_bytes(content)
    for start in range(0, len(content), split_bytes):
        length = min(split_bytes, len(content) - start)
        blocks = line_blocks(
            LocalFile(str(path)), start, length, any_line_end=any_line_end, block_bytes=block_bytes
        )
        found: list[bytes | None] = []
        for block in blocks:
            lines = Lines.of(block, any_line_end=any_line_end)
            found += [lines.line(number) for number in range(len(lines))]
            texts = lines.strings()
            assert [texts[n].as_buffer().to_pybytes() for n in range(len(texts))] == [
                lines.line(number) for number in range(len(lines))
            ]
        end = start + length
        assert found == expected_lines(content, start, end, any_line_end=any_line_end)


def test_chosen_lines_are_a_block_of_their_own() -> None:
    import numpy as np

    lines = Lines.of(b"a\n\nbcd\r\ne", any_line_end=True)
    chosen = lines.where(np.array([True, False, True, True]))
    assert chosen.block == b"a\nbcd\r\ne"
    assert [chosen.line(number) for number in range(3)] == [b"a", b"bcd", b"e"]
    assert lines.having(ord("c")).tolist() == [False, False, True, False]
    assert lines.counts_of(np.array([0, 3, 5])).tolist() == [1, 0, 2, 0]
