"""Reading of one Parquet file's columns from chunks that the device may have already."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pylibcudf.io.experimental.hybrid_scan import HybridScanMetadata, HybridScanReader
from pylibcudf.io.parquet import ParquetReaderOptions
from pylibcudf.io.parquet_io_utils import IOSubmissionPolicy, fetch_byte_ranges_to_device
from pylibcudf.io.types import SourceInfo

from broadhead.files.parquet_footer import MOST_FOOTERS
from broadhead.kernels.cudf import device
from broadhead.kernels.kept_chunks import CHUNKS

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from broadhead.files.input_file import Ranges
    from broadhead.kernels.cudf.physical import Column


@dataclass(frozen=True, slots=True)
class ChunkFile:
    """A file as its chunks are read: where it is, what stands for its content, its footer."""

    path: str
    content: Hashable
    footer: bytes
    """In its Thrift encoding; empty if it is not kept."""


def reader_options(paths: Sequence[str], names: list[str] | None = None) -> ParquetReaderOptions:
    """How libcudf reads columns of files: by their own types, whatever wrote them.

    Without `names` the options are of whole files.
    """
    options = (
        ParquetReaderOptions.builder(SourceInfo(list(paths)))
        .use_pandas_metadata(False)
        .use_arrow_schema(False)
        .allow_mismatched_pq_schemas(True)
        .ignore_missing_columns(False)
    )
    return (options if names is None else options.column_names(names)).build()


def read_chunks(file: ChunkFile, groups: list[int], names: list[str]) -> list[Column]:
    """The columns `names` of row groups, in the order of the names."""
    options = reader_options([file.path], names)
    # the reader borrows it
    metadata = _metadata(file.path, file.footer)
    reader = HybridScanReader.from_metadata(metadata)
    found = reader.all_column_chunks_byte_ranges(groups, options)
    wanted = {range_.offset: range_ for range_ in found}

    def load(ranges: Ranges) -> list[Any]:
        spans: list[Any] = fetch_byte_ranges_to_device(
            SourceInfo([file.path]),
            [wanted[offset] for offset, _ in ranges],
            IOSubmissionPolicy.SERIALIZE,
        )
        device.synchronize()
        return spans

    spans = CHUNKS.get(file.content, [(range_.offset, range_.size) for range_ in found], load)
    result = reader.materialize_all_columns(groups, spans, options)
    # the memory of the spans may be given up as soon as they are not held any more
    device.synchronize()
    by_name = dict(zip(result.column_names(), result.tbl.columns(), strict=True))
    return [by_name[name] for name in names]


@lru_cache(maxsize=MOST_FOOTERS)
def _metadata(path: str, footer: bytes) -> HybridScanMetadata:
    """What libcudf knows of a file, which takes a tenth of the time of reading it."""
    return HybridScanMetadata.from_footer_bytes(footer, reader_options([path]))
