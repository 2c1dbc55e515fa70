"""First uses of a GPU's kernels, each of which takes a hundred times as long as the next one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from broadhead.files.input_file import LocalFile
from broadhead.kernels.interface.group import Request
from broadhead.types import DATE, INTEGER, LONG, STRING, DecimalType

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels

ROWS = 4096
_DECIMAL = DecimalType("decimal", precision=15, scale=2)
_TYPES = (LONG, INTEGER, STRING, DATE, _DECIMAL)


def warm_up(kernels: Kernels) -> None:
    """Read, filter, hash, group, join, sort and return some rows."""
    # gives this thread the device's context
    kernels.device.synchronize()
    columns = kernels.columns
    data = _read(kernels)
    numbers = data[0]
    small = kernels.compare.compare("less", numbers, columns.scalar(ROWS // 2, LONG))
    kept = columns.filter(data, small)
    length = columns.length(kept[0])
    hashes = kernels.hash.murmur3(kept, _TYPES, length, 42)
    rows, _ = kernels.hash.partition(kept, kernels.hash.modulo(hashes, 4), 4)
    sums = [Request("sum", rows[1]), Request("count", rows[0])]
    kernels.group.group([rows[2]], length).aggregate(sums)
    kernels.decimal.multiply(rows[4], 2, rows[4], 2, 31, 4)
    table = kernels.join.build([rows[0]])
    for _probe, built in table.pairs([numbers], ROWS, outer=False):
        columns.take(rows, built)
    order = kernels.sort.order([rows[3], rows[2]], [(True, True), (False, False)])
    ordered = columns.take(rows, order)
    for column, data_type in zip(ordered, _TYPES, strict=True):
        columns.to_host(column, data_type)
    kernels.device.synchronize()


def _read(kernels: Kernels) -> list[Array]:
    numbers = pa.array(range(ROWS))
    table = pa.table(
        {
            "long": numbers,
            "integer": numbers.cast(pa.int32()),
            "string": numbers.cast(pa.string()),
            "date": numbers.cast(pa.int32()).cast(pa.date32()),
            "decimal": numbers.cast(pa.decimal128(21, 2)).cast(pa.decimal128(15, 2)),
        }
    )
    with tempfile.TemporaryDirectory(prefix="broadhead-") as folder:
        path = Path(folder) / "rows.parquet"
        pq.write_table(table, path, compression="snappy", store_decimal_as_integer=True)
        files = [(LocalFile(str(path)), [0])]
        ((data, _),) = kernels.parquet.read(files, table.column_names, _TYPES, ROWS)
    return list(data)
