"""CSV files, parts of which are read on the device.

A part goes to the device as it stands in the file. If a line of it is not plain, the host reads
the whole part.
"""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.files.line_blocks import is_compressed
from broadhead.functions.zones import to_utc
from broadhead.kernels.interface.fields import FieldLayout, WantedField
from broadhead.operators.scan.text.lines import GPU_BLOCK_BYTES, Lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.files.input_file import InputFile, OpenedFile
    from broadhead.kernels.interface import Array
    from broadhead.kernels.interface.fields import Clock, FieldValues
    from broadhead.operators.context import Run, Split
    from broadhead.operators.scan.csv.csv_options import CsvOptions
    from broadhead.operators.scan.text.line_columns import LineColumn

_BYTES_AFTER = 64 << 10
"""A line that crosses the end of a part ends within so many bytes, else the host reads it."""

_ASCII = 0x80
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


_NO_LINES = Lines.of(b"", any_line_end=False)


@dataclass(frozen=True, slots=True)
class DeviceLines:
    """The values of the columns in the lines of a part of a file.

    `unparsed` is a mask of the lines with texts that only Spark's parser can convert; None for no
    such line, and then there are no `lines`.
    """

    rows: int
    columns: Sequence[Array]
    unparsed: Any | None
    lines: Lines


class DeviceReader:
    """Reads parts of files on the device, if the kernels can read the scan's columns."""

    def __init__(
        self, node_id: int, run: Run, options: CsvOptions, used: Sequence[LineColumn]
    ) -> None:
        self._node_id = node_id
        self._run = run
        self._options = options
        self._wanted = [
            WantedField(column.position, column.type, _clock(column, options))
            for column in used
            if column.position is not None
        ]
        self._layout = _layout(options)
        self._can_read = self._layout is not None and run.kernels.fields.can_read(self._wanted)

    def of(self, split: Split) -> list[tuple[int, int]]:
        """Start and length of the parts of a split, each of which divides lines like a split.

        Empty if none can be read on the device.
        """
        if not self._can_read or self._options.multi_line or is_compressed(split.file):
            return []
        end = split.start + split.length
        return [
            (start, min(GPU_BLOCK_BYTES, end - start))
            for start in range(split.start, end, GPU_BLOCK_BYTES)
        ]

    def read(self, file: InputFile, start: int, length: int) -> DeviceLines | None:
        """The rows of a part; None if the host has to read it.

        Raises OSError for a file that cannot be read.
        """
        with closing(file.open()) as opened:
            block = self._lines(opened, file.length(), start, length)
        if block is not None and self._options.header and not start:
            block = self._without_header(block)
        if block is None:
            return None
        if not len(block):
            return DeviceLines(0, [], None, _NO_LINES)
        assert self._layout is not None, "no part is read without a layout"
        found = self._run.kernels.fields.read(block, self._layout, self._wanted)
        if found is None:
            return None
        self._run.metrics.add(self._node_id, "bytesRead", len(block))
        lines = _NO_LINES
        if found.unparsed is not None:
            lines = Lines.of(bytes(block), any_line_end=self._options.any_line_end)
        return DeviceLines(found.rows, self._columns(found), found.unparsed, lines)

    def _lines(self, opened: OpenedFile, size: int, start: int, length: int) -> memoryview | None:
        """The bytes of the part's lines; None where a line has no end nearby."""
        end = min(start + length, size)
        if start >= end:
            return None
        last = min(end + _BYTES_AFTER, size)
        buffer = self._run.kernels.fields.staging(last - start + 1)
        opened.request([(start, last - start)])
        opened.wait([(start, last - start)])
        count = _read_into(opened.path, buffer[: last - start], start)
        opened.release([(start, last - start)])
        if count < last - start:
            return None
        first = 0
        if start:
            first = _after_line_feed(buffer, 0, count)
            # a CR alone ends a line, too
            if self._options.any_line_end and b"\r" in bytes(buffer[: max(0, first - 2)]):
                return None
        elif bytes(buffer[: len(_BYTE_ORDER_MARK)]) == _BYTE_ORDER_MARK:
            first = len(_BYTE_ORDER_MARK)
        if start + first > end:
            return buffer[:0]
        stop = _after_line_feed(buffer, end - start, count)
        if stop > count:
            if last < size:
                return None
            if buffer[count - 1] != ord("\n"):
                buffer[count] = ord("\n")
                count += 1
            stop = count
        return buffer[first:stop]

    def _without_header(self, block: memoryview) -> memoryview | None:
        """The lines after the first; None if it is blank, a comment or long."""
        options = self._options
        stop = _after_line_feed(block, 0, len(block))
        line = bytes(block[:stop]).strip()
        limits = (options.most_fields, options.most_characters, _BYTES_AFTER)
        if not line or stop >= min(most for most in limits if most >= 0):
            return None
        if options.comment is not None and line.startswith(options.comment.encode()):
            return None
        return None if b"\r" in line else block[stop:]

    def _columns(self, found: FieldValues) -> list[Array]:
        """The columns, with timestamps in UTC."""
        k, zone = self._run.kernels, self._options.formats.time_zone
        return [
            to_utc(k, data, self._run.zones[zone])
            if field.type.name == "timestamp" and zone is not None
            else data
            for field, data in zip(self._wanted, found.columns, strict=True)
        ]


def _layout(options: CsvOptions) -> FieldLayout | None:
    """The layout of the lines; None if it is not one of the device's."""
    used = [options.separator, options.quote, options.escape, options.comment]
    if options.trims or any(c is not None and ord(c) >= _ASCII for c in used):
        return None
    separator, quote, escape, comment = (None if c is None else ord(c) for c in used)
    assert separator is not None, "a separator is always set"
    return FieldLayout(
        fields=options.fields,
        separator=separator,
        quote=quote,
        escape=escape,
        comment=comment,
        any_line_end=options.any_line_end,
        null_word=options.null_value.encode(),
        empty_is_null=options.empty_value == options.null_value,
        most_characters=options.most_characters,
    )


def _clock(column: LineColumn, options: CsvOptions) -> Clock:
    formats = options.formats
    pattern = {"timestamp": formats.timestamp, "timestamp_ntz": formats.timestamp_ntz}
    found = pattern.get(column.type.name)
    if found is None:
        return "any"
    return "T" if "T" in found else " "


def _after_line_feed(buffer: memoryview, start: int, stop: int) -> int:
    """The position after the first LF from `start`; greater than `stop` if there is none."""
    for position in range(start, stop, _BYTES_AFTER):
        found = bytes(buffer[position : min(position + _BYTES_AFTER, stop)]).find(b"\n")
        if found >= 0:
            return position + found + 1
    return stop + 1


def _read_into(path: str, buffer: memoryview, offset: int) -> int:
    """Fill the buffer with the file's bytes from `offset`; how many there were."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        done = 0
        while done < len(buffer):
            count = os.preadv(descriptor, [buffer[done:]], offset + done)
            if not count:
                break
            done += count
        return done
    finally:
        os.close(descriptor)
