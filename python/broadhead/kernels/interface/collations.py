"""Where the keys of strings come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa


class Collations(Protocol):
    """Gives strings the keys by which they compare."""

    def keys(self, collation: str, texts: pa.Array) -> pa.Array:
        """The binary of each of `texts`, strings without nulls.

        Raises `EngineLimit` where there is none.
        """
