"""Encoding of values as keys, by the arrow kernel of the same name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.kernels.arrow import keys
from broadhead.kernels.cudf import columns, nested
from broadhead.kernels.cudf.host import from_host

if TYPE_CHECKING:
    from broadhead.kernels.cudf.physical import Column
    from broadhead.kernels.interface.collations import Collations
    from broadhead.types import ArrayType, DataType, StructType


def comparable(data: Column, data_type: ArrayType | StructType) -> Column:
    """Binaries with the equality and order of the values; null for null."""
    return from_host(keys.comparable(nested.to_arrow(data, data_type), data_type))


def collated(data: Column, data_type: DataType, target: DataType, collations: Collations) -> Column:
    """The values with their strings replaced by collation keys, computed on the host."""
    host = columns.to_arrow(data, data_type)
    return columns.from_arrow(keys.collated(host, data_type, target, collations), target)
