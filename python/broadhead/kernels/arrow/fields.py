"""No fields are read by these kernels: on the host the scans of lines find and convert them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface.fields import FieldLayout, FieldValues, WantedField


def can_read(wanted: Sequence[WantedField]) -> bool:
    """False."""
    return False


def staging(size: int) -> memoryview:
    """Memory of the host."""
    return memoryview(bytearray(size))


def read(
    block: memoryview, layout: FieldLayout, wanted: Sequence[WantedField]
) -> FieldValues | None:
    """None: the scan reads the lines."""
    return None
