"""Two applications compared, query by query."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from broadhead.event_logs.formats import percent, size

if TYPE_CHECKING:
    from broadhead.event_logs.summary import QuerySummary, Summary


@dataclass(frozen=True)
class Pair:
    """One query of both logs."""

    label: str
    first: int
    second: int
    first_ms: int
    second_ms: int
    changes: list[str]

    @property
    def ratio(self) -> float:
        """How many times faster the second is."""
        return self.first_ms / self.second_ms if self.second_ms else 0.0


@dataclass(frozen=True)
class Comparison:
    """The queries that both logs have, and how many are in one only."""

    first: str
    second: str
    pairs: list[Pair]
    unmatched: int

    @property
    def ratio(self) -> float:
        """How many times faster the second is over all pairs."""
        second = sum(pair.second_ms for pair in self.pairs)
        return sum(pair.first_ms for pair in self.pairs) / second if second else 0.0

    def as_json(self) -> dict[str, Any]:
        """Give everything, for JSON."""
        pairs = [asdict(pair) | {"ratio": pair.ratio} for pair in self.pairs]
        return {
            "first": self.first,
            "second": self.second,
            "ratio": self.ratio,
            "pairs": pairs,
            "unmatched": self.unmatched,
        }


def compare(first: Summary, second: Summary) -> Comparison:
    """Pair the queries with equal labels, in their order.

    The label is the job's description or the line of the program that has started the query.
    """
    waiting: defaultdict[str, list[QuerySummary]] = defaultdict(list)
    for query in second.queries:
        waiting[query.label].append(query)
    pairs = []
    for query in first.queries:
        others = waiting[query.label]
        if others:
            pairs.append(_pair(query, others.pop(0)))
    unmatched = len(first.queries) + len(second.queries) - 2 * len(pairs)
    names = [s.identifier or s.path for s in (first, second)]
    return Comparison(names[0], names[1], pairs, unmatched)


def _pair(first: QuerySummary, second: QuerySummary) -> Pair:
    return Pair(
        label=first.label,
        first=first.number,
        second=second.number,
        first_ms=first.wall_ms,
        second_ms=second.wall_ms,
        changes=_changes(first, second),
    )


def _changes(first: QuerySummary, second: QuerySummary) -> list[str]:
    changes = []
    shares = percent(first.time_share), percent(second.time_share)
    if shares[0] != shares[1]:
        changes.append(f"{shares[0]} to {shares[1]} of the time in Broadhead")
    if first.replays != second.replays:
        changes.append(f"{first.replays} to {second.replays} replayed tasks")
    if first.disk_spilled != second.disk_spilled:
        changes.append(f"{size(first.disk_spilled)} to {size(second.disk_spilled)} spilled")
    gone = [reason for reason in first.reasons if reason not in second.reasons]
    new = [reason for reason in second.reasons if reason not in first.reasons]
    if first.accelerated and second.accelerated:
        changes += [f"no longer: {reason}" for reason in gone] + [f"new: {r}" for r in new]
    if bool(first.error) != bool(second.error):
        changes.append("failed in the first" if first.error else "failed in the second")
    return changes
