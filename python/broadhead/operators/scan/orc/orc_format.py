"""Rows of ORC splits, decoded by Arrow."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.errors import EngineLimit
from broadhead.files.orc_footer import read_orc_footer
from broadhead.files.ranges_ahead import RangesAhead, Wanted
from broadhead.operators.scan.orc.orc_columns import columns_of
from broadhead.operators.scan.orc.stripe_values import as_spark_reads
from broadhead.operators.scan.read_rows import ReadRows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.files.orc_footer import OrcFooter, Stripe
    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run, Split
    from broadhead.plan.nodes import FileScan

FOOTERS_AT_ONCE = 8
"""Footers that are fetched at the same time, since each waits for the store."""

UTC = frozenset({"UTC", "GMT", "Etc/UTC", "Etc/GMT", "Zulu", "Etc/Zulu", "UCT", "Etc/UCT"})
"""Names of the time zone in which a timestamp's digits are its instant."""


@dataclass(frozen=True, slots=True)
class SplitStripe:
    """A stripe of a split; `columns` are the file's numbers of the scan's columns."""

    split: Split
    footer: OrcFooter
    stripe: Stripe
    columns: tuple[int | None, ...]

    @property
    def present(self) -> tuple[int, ...]:
        """The ordinals of the scan's columns that the file has."""
        return tuple(i for i, number in enumerate(self.columns) if number is not None)


def read_orc(node: FileScan, run: Run) -> Iterator[ReadRows]:
    """The rows of the stripes that begin in the scan's splits.

    Raises OSError or pyarrow's errors for a file that is missing or corrupt, and `EngineLimit` for
    values that Spark reads in another way than Arrow.
    """
    waiting: list[tuple[SplitStripe, dict[int, Array], int]] = []
    most = run.kernels.device.batch_rows(run.settings)
    for found in _parts(node, run, most):
        rows = sum(length for _, _, length in waiting)
        if waiting and (rows + found[2] > most or waiting[0][0].present != found[0].present):
            yield _rows(waiting, run)
            waiting = []
        waiting.append(found)
    if waiting:
        yield _rows(waiting, run)


def _rows(parts: Sequence[tuple[SplitStripe, dict[int, Array], int]], run: Run) -> ReadRows:
    present = parts[0][0].present
    tables = [[arrays[ordinal] for ordinal in present] for _, arrays, _ in parts]
    data = tables[0] if len(tables) == 1 else run.kernels.columns.concat(tables) if present else []
    splits = [(item.split, length) for item, _, length in parts]
    return ReadRows(dict(zip(present, data, strict=True)), splits)


def _parts(
    node: FileScan, run: Run, most: int
) -> Iterator[tuple[SplitStripe, dict[int, Array], int]]:
    """Stripes, in several parts if they have many rows."""
    stripes = list(_stripes(node, run))
    types = [attribute.type for attribute in node.output]
    wanted = [Wanted(item.split.file, partial(item.footer.ranges, item.stripe)) for item in stripes]
    with RangesAhead(wanted) as ahead:
        for position, item in enumerate(stripes):
            path = ahead.wait(position)
            columns = _columns(item, path) if item.present else {}
            if any(types[ordinal].name == "timestamp" for ordinal in item.present):
                _check_zone(item, path)
            values = {
                ordinal: as_spark_reads(columns[ordinal], types[ordinal], item.footer.path)
                for ordinal in item.present
            }
            run.metrics.add(node.id, "stripes", 1)
            run.metrics.add(node.id, "bytesRead", item.stripe.end - item.stripe.offset)
            for offset in range(0, item.stripe.rows, most):
                length = min(most, item.stripe.rows - offset)
                yield (
                    item,
                    {
                        ordinal: run.kernels.columns.from_arrow(
                            array.slice(offset, length), types[ordinal]
                        )
                        for ordinal, array in values.items()
                    },
                    length,
                )
            ahead.release(position)


def _stripes(node: FileScan, run: Run) -> Iterator[SplitStripe]:
    splits = run.sources.splits(node.id)
    types = [attribute.type for attribute in node.output]
    table = [(name, data_type) for name, data_type in node.options["columns"]]
    for split, footer in zip(splits, _footers(splits), strict=True):
        columns = columns_of(
            footer,
            node.data_columns,
            types,
            table,
            case_sensitive=run.settings.case_sensitive,
        )
        for stripe in footer.stripes_of(split.start, split.length):
            yield SplitStripe(split, footer, stripe, columns)


def _footers(splits: Sequence[Split]) -> Iterator[OrcFooter]:
    """The footer of each split's file; those that have to be fetched, several at a time."""
    if all(split.file.is_local for split in splits):
        yield from (read_orc_footer(split.file) for split in splits)
        return
    with ThreadPoolExecutor(FOOTERS_AT_ONCE, "broadhead-footers") as pool:
        yield from pool.map(read_orc_footer, [split.file for split in splits])


def _columns(item: SplitStripe, path: str) -> dict[int, Any]:
    """The columns of a stripe as Arrow reads them, by their ordinals in the scan."""
    from pyarrow import orc

    names = item.footer.root.names
    numbers = {i: number for i, number in enumerate(item.columns) if number is not None}
    wanted = [names[number] for number in numbers.values()]
    # a dot in a name stands for a field of a struct
    by_name = len(set(names)) == len(names) and not any("." in name for name in names)
    with closing(pa.OSFile(path)) as file:
        batch = orc.ORCFile(file).read_stripe(
            item.stripe.number, columns=wanted if by_name else None
        )
    if batch.num_rows != item.stripe.rows:
        raise EngineLimit(f"{item.footer.path} has other rows than its footer says")
    if by_name:
        return {i: batch.column(names[number]) for i, number in numbers.items()}
    return {i: batch.column(number) for i, number in numbers.items()}


def _check_zone(item: SplitStripe, path: str) -> None:
    zone = item.footer.writer_zone(path, item.stripe)
    if zone not in UTC:
        raise EngineLimit(f"{item.footer.path} has timestamps of the time zone {zone or 'unknown'}")
