"""Flags of buffers that are hardly ever set, merged together with their aggregates."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from broadhead.kernels.interface.group import Request
from broadhead.types import BOOLEAN

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Grouping, Kernels

Flag = tuple[Literal["min", "max"], "Array"]
"""`min`: set for groups in which every row has it. `max`: set for groups in which some row has it.
"""

Merging = Generator["list[Request]", "list[Any]", "tuple[list[Any], list[Array]]"]


def merged_with_flags(
    k: Kernels, grouping: Grouping, requests: Sequence[Request], flags: Sequence[Flag]
) -> Merging:
    """The results of `requests`, and a mask of groups for each of the flags.

    A flag that no row has is not aggregated: each additional aggregate makes grouping slower by
    half.
    """
    wanted = [Request(kind, flag) if k.logic.any(flag) else None for kind, flag in flags]
    answers = yield [*requests, *filter(None, wanted)]
    found = iter(answers[len(requests) :])
    nowhere = k.columns.full(k.columns.scalar(False, BOOLEAN), grouping.size)
    masks = [nowhere if flag is None else k.logic.is_true(next(found)) for flag in wanted]
    return answers[: len(requests)], masks
