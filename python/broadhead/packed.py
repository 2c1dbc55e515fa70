"""Integers on the host in as few bytes as their range needs.

They are copied to and from a GPU in this form, and stored so in shuffle files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Sequence

LIMITS = ((1, 0xFF), (2, 0xFFFF), (4, 0xFFFFFFFF))
"""Bytes of a packed value, and the largest that they hold."""
UNSIGNED: dict[int, Any] = {1: np.dtype(np.uint8), 2: np.dtype(np.uint16), 4: np.dtype(np.uint32)}
"""The types of packed values by their bytes."""
SIGNED: dict[int, Any] = {
    1: np.dtype(np.int8),
    2: np.dtype(np.int16),
    4: np.dtype(np.int32),
    8: np.dtype(np.int64),
}
"""The types of whole values by their bytes."""


@dataclass(frozen=True, slots=True)
class PackedIntegers:
    """Physical data of an integer type as differences from `least`.

    `values`: uint8, uint16 or uint32, with fewer bytes than `type`, and with the nulls; values
    under nulls are undefined. `type`: int16, int32, int64 or date32.
    """

    values: pa.Array
    least: int
    type: pa.DataType

    def __len__(self) -> int:
        return len(self.values)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the values take."""
        return int(self.values.nbytes)

    @property
    def null_count(self) -> int:
        """Number of nulls."""
        return int(self.values.null_count)

    def slice(self, start: int, length: int) -> PackedIntegers:
        """A slice of the values, without a copy."""
        return PackedIntegers(self.values.slice(start, length), self.least, self.type)

    def numbers(self) -> Any:
        """The packed values, including those under nulls."""
        values = self.values
        width = values.type.bit_width // 8
        return np.frombuffer(
            values.buffers()[1], UNSIGNED[width], len(values), values.offset * width
        )

    def unpack(self) -> pa.Array:
        """The unpacked values, in the physical form of their type."""
        own = pa.from_numpy_dtype(SIGNED[self.type.bit_width // 8])
        # wraps around for undefined values under nulls
        whole = pc.add(self.values.cast(own, safe=False), pa.scalar(self.least, own))
        return whole.view(self.type)


HostArray: TypeAlias = pa.Array | PackedIntegers
"""One column of physical data on the host."""


def unpacked(array: HostArray) -> pa.Array:
    """The column with unpacked values."""
    return array.unpack() if isinstance(array, PackedIntegers) else array


def pack(chunks: Sequence[PackedIntegers]) -> tuple[Any, int] | None:
    """The values of all chunks as differences from the least, and the least; None above 4 bytes.

    The chunks are of one type, none of them empty, and without nulls.
    """
    numbers = [chunk.numbers() for chunk in chunks]
    edges = [
        (chunk.least + int(values.min()), chunk.least + int(values.max()))
        for chunk, values in zip(chunks, numbers, strict=True)
    ]
    least, most = min(low for low, _ in edges), max(high for _, high in edges)
    width = next((width for width, limit in LIMITS if most - least <= limit), None)
    if width is None:
        return None
    narrow = UNSIGNED[width]
    packed = np.empty(sum(map(len, numbers)), narrow)
    start = 0
    for chunk, values in zip(chunks, numbers, strict=True):
        end = start + len(values)
        # modulo the width, as a chunk's own least may be above or below the least of all
        above = narrow.type((chunk.least - least) % (1 << 8 * width))
        np.add(values, above, out=packed[start:end], dtype=narrow, casting="unsafe")
        start = end
    return packed, least


def concatenate_columns(chunks: Sequence[PackedIntegers]) -> HostArray:
    """The concatenated values of all chunks of one type."""
    if len(chunks) == 1:
        return chunks[0]
    filled = [chunk for chunk in chunks if len(chunk)]
    packed = None if any(chunk.null_count for chunk in filled) or not filled else pack(filled)
    if packed is None:
        return pa.concat_arrays([chunk.unpack() for chunk in chunks])
    values, least = packed
    data_type = pa.from_numpy_dtype(values.dtype)
    array = pa.Array.from_buffers(data_type, len(values), [None, pa.py_buffer(values)], 0)
    if values.itemsize * 8 >= chunks[0].type.bit_width:
        return PackedIntegers(array, least, chunks[0].type).unpack()
    return PackedIntegers(array, least, chunks[0].type)
