"""Joins whose build side is larger than the memory limit of an operator."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from broadhead.operators.join.join_matcher import CrossMatcher, KeyMatcher
from broadhead.operators.join.join_part import BuildPart, finish_stream
from broadhead.operators.join.join_sides import empty_rows
from broadhead.operators.join.pushed_keys import PushedKeys
from broadhead.operators.rows.batch_rows import batch_bytes, concat_batches
from broadhead.operators.spill.spill import SpillFile, SpillPartitions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from broadhead.columns import Batch
    from broadhead.kernels.interface import Array
    from broadhead.operators.join.join_sides import JoinPlan, Side

MAX_DEPTH = 5

MAX_SHARE = 0.8
"""Fraction of the rows above which a partition has too few keys for another division."""

SEED = 101
"""Different from the seed of an aggregation's spill, whose partitions all have one hash here."""


def join_sides(
    plan: JoinPlan, stream: Iterator[Batch], build: Iterator[Batch], depth: int = 0
) -> Iterator[Batch]:
    """All rows of the join of two reduced sides."""
    first, complete = _collect(build, plan)
    if complete:
        yield from _join_in_memory(plan, stream, first, whole=depth == 0)
    elif plan.build.keys and depth < MAX_DEPTH:
        yield from _join_by_partition(plan, stream, chain(first, build), depth)
    else:
        yield from _join_build_parts(plan, stream, chain(first, build))


def _collect(build: Iterator[Batch], plan: JoinPlan) -> tuple[list[Batch], bool]:
    """Batches up to the memory limit, at least one, and whether these are all."""
    taken: list[Batch] = []
    size = 0
    for batch in build:
        taken.append(batch)
        size += batch_bytes(batch, plan.run)
        if plan.run.must_spill(size):
            return taken, False
    return taken, True


def _part(plan: JoinPlan, batches: Sequence[Batch]) -> BuildPart:
    batches = batches or [empty_rows(plan.build, plan.run)]
    rows = concat_batches(batches, plan.run)
    matcher = KeyMatcher(plan, rows) if plan.build.keys else CrossMatcher(plan, rows)
    return BuildPart(plan, rows, matcher)


def _join_in_memory(
    plan: JoinPlan, stream: Iterator[Batch], build: Sequence[Batch], *, whole: bool
) -> Iterator[Batch]:
    if not build and plan.ends_with_empty_build:
        return
    part = _part(plan, build)
    if whole:
        plan.run.shared(PushedKeys).give(plan.node.id, part.matcher)
    for batch in stream:
        yield from part.join(batch)
    yield from part.finish()


def _join_by_partition(
    plan: JoinPlan, stream: Iterator[Batch], build: Iterator[Batch], depth: int
) -> Iterator[Batch]:
    """Both sides partitioned by the hash of their keys, then joined partition by partition."""
    builds = _divide(plan, plan.build, build, "build", depth)
    streams = _divide(plan, plan.stream, stream, "stream", depth)
    rows = sum(file.rows for file in builds)
    for stream_file, build_file in zip(streams, builds, strict=True):
        deeper = MAX_DEPTH if build_file.rows > MAX_SHARE * rows else depth + 1
        yield from join_sides(plan, stream_file.read(), build_file.read(), deeper)
        stream_file.delete()
        build_file.delete()


def _divide(
    plan: JoinPlan, side: Side, batches: Iterable[Batch], name: str, depth: int
) -> list[SpillFile]:
    name = f"join-{plan.node.id}-{name}-{depth}"
    partitions = SpillPartitions(plan.run, plan.node.id, name, side.types, SEED + depth)
    for batch in batches:
        partitions.add(batch, side.key_data(batch))
    for file in partitions.files:
        file.finish()
    return partitions.files


def _join_build_parts(
    plan: JoinPlan, stream: Iterator[Batch], build: Iterator[Batch]
) -> Iterator[Batch]:
    """Parts of the build side, each joined with the whole stream side, which is read from a file.

    For rows that cannot be divided by hash, and for joins without keys.
    """
    run = plan.run
    file = SpillFile(
        run, plan.node.id, f"join-{plan.node.id}-whole-{id(stream)}", plan.stream.types
    )
    for batch in stream:
        if batch.length:
            file.write(batch)
    matched: list[Array] = []
    complete = False
    while not complete:
        batches, complete = _collect(build, plan)
        if not batches:
            break
        part = _part(plan, batches)
        for number, batch in enumerate(file.read(keep=True)):
            bitmap = run.kernels.join.bitmap(batch.length)
            yield from part.match(batch, bitmap)
            if number == len(matched):
                matched.append(bitmap.mask())
            else:
                matched[number] = run.kernels.logic.or_(matched[number], bitmap.mask())
        yield from part.finish()
    if plan.tests_stream or plan.keeps_stream:
        for batch, mask in zip(file.read(), matched, strict=True):
            yield from finish_stream(plan, batch, mask)
    file.delete()
