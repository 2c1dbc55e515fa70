"""The source of collation keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa


class Collations(Protocol):
    """Computes the collation keys of strings."""

    def keys(self, collation: str, texts: pa.Array) -> pa.Array:
        """The collation key of each of `texts`, binary: equal and ordered byte by byte as in Spark.

        `texts` are strings on the host without nulls; `collation` is Spark's name of one, such as
        `UNICODE_CI`. The JVM computes the keys from its ICU tables. Raises `EngineLimit` if there
        is no JVM that does.
        """
