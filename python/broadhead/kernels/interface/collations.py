"""The source of collation keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa


class Collations(Protocol):
    """Computes the collation keys of strings."""

    def keys(self, collation: str, texts: pa.Array) -> pa.Array:
        """The collation key of each of `texts`, strings without nulls.

        Raises `EngineLimit` if there is none.
        """
