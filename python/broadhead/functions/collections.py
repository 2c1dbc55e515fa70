"""Functions of arrays and maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.counted_matches import counted
from broadhead.functions.registry import INT, function
from broadhead.registry import Signature
from broadhead.types import INTEGER

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels


@function(
    "size",
    spark="Size",
    signatures=[Signature((frozenset({"array", "map"}),), INT)],
    fields={"legacySizeOfNull": "any"},
    rewritten=counted,
)
def size(k: Kernels, collection: Column, *, legacy_size_of_null: bool) -> Column:
    """Number of elements of an array or entries of a map.

    Null for null, or -1 where `spark.sql.legacy.sizeOfNull` says so (and ANSI mode is off).

    >>> SELECT size(array(1, NULL, 3))
    3
    """
    counts = k.cast.narrow_integer(k.nested.lengths(collection.data), INTEGER)
    missing = k.logic.is_null(collection.data)
    if legacy_size_of_null:
        return Column(k.logic.if_else(missing, k.columns.scalar(-1, INTEGER), counts), INTEGER)
    return Column(k.logic.null_where(counts, missing), INTEGER)
