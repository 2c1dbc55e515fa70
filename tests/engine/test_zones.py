"""Time zones far beyond their known transitions, where yearly rules go on."""

from __future__ import annotations

import datetime
import random
import zoneinfo
from collections import OrderedDict

import pyarrow as pa
import pytest

from broadhead.errors import EngineLimit
from broadhead.functions import zones
from broadhead.functions.zones import DAY_SECONDS, RULES_END, to_local, to_utc
from broadhead.plan.nodes import Zone
from broadhead.types import LONG
from engine.fragments import kernels_under_test

EPOCH = datetime.datetime(1970, 1, 1)
MICROSECOND = datetime.timedelta(microseconds=1)
FIRST = 4_000_000_000
"""In the year 2096: after the last change of any rules."""
LAST = 253_370_764_800
"""9999-01-01, since Python's calendar ends that year."""


@pytest.fixture(params=["America/Los_Angeles", "Europe/Paris", "Australia/Lord_Howe"])
def python(request: pytest.FixtureRequest) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(request.param)
    except zoneinfo.ZoneInfoNotFoundError:
        pytest.skip("this machine has no time zone data")


def rules(python: zoneinfo.ZoneInfo, start: int, end: int) -> Zone:
    """The transitions between two seconds; all fall on a quarter of an hour."""

    def offset(second: int) -> int:
        moment = EPOCH.replace(tzinfo=datetime.UTC) + datetime.timedelta(0, second)
        found = moment.astimezone(python).utcoffset()
        assert found is not None
        return int(found.total_seconds())

    transitions, offsets = [], [offset(start)]
    for day in range(start, end, DAY_SECONDS):
        if offset(day + DAY_SECONDS) == offsets[-1]:
            continue
        transitions.append(
            next(s for s in range(day, day + DAY_SECONDS + 1, 900) if offset(s) != offsets[-1])
        )
        offsets.append(offset(day + DAY_SECONDS))
    return Zone(tuple(transitions), tuple(offsets))


def test_yearly_rules_go_on(python: zoneinfo.ZoneInfo) -> None:
    start = FIRST - FIRST % DAY_SECONDS
    zone = rules(python, start, RULES_END)
    late = rules(python, LAST - 40 * 366 * DAY_SECONDS, LAST)
    choice = random.Random(5)
    seconds = [choice.randrange(start + DAY_SECONDS, LAST) for _ in range(2_000)]
    seconds += [t + choice.randrange(-7_300, 7_300) for t in late.transitions for _ in range(4)]
    local, utc = [], []
    for second in seconds:
        naive = EPOCH + datetime.timedelta(0, second)
        clock = naive.replace(tzinfo=datetime.UTC).astimezone(python).replace(tzinfo=None)
        local.append((clock - EPOCH) // MICROSECOND)
        # fold=0 takes the offset before a transition, in a gap too, as Java does
        offset = naive.replace(tzinfo=python, fold=0).utcoffset()
        assert offset is not None
        utc.append((naive - offset - EPOCH) // MICROSECOND)
    k = kernels_under_test()
    given = k.columns.from_arrow(pa.array([s * 1_000_000 for s in seconds] + [None]), LONG)
    assert k.columns.to_arrow(to_local(k, given, zone), LONG).to_pylist() == [*local, None]
    assert k.columns.to_arrow(to_utc(k, given, zone), LONG).to_pylist() == [*utc, None]


def test_the_end_of_time_is_left_to_spark() -> None:
    k = kernels_under_test()
    zone = Zone((RULES_END - 20 * DAY_SECONDS,), (0, 3_600))
    given = k.columns.from_arrow(pa.array([2**63 - 1]), LONG)
    with pytest.raises(EngineLimit):
        to_local(k, given, zone)


def test_tables_are_complete_before_other_threads_use_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU's streams share them; the least recently used ones are dropped."""
    kernels = kernels_under_test()
    complete: list[int] = []
    monkeypatch.setattr(zones, "_tables", OrderedDict())
    monkeypatch.setattr(zones, "MOST_TABLES", 2)
    monkeypatch.setattr(kernels.device, "synchronize", lambda: complete.append(len(zones._tables)))
    moment = kernels.columns.from_arrow(pa.array([0]), LONG)
    for hours in (1, 2, 1, 3, 1, 2):
        zone = Zone((-1000,), (0, 3600 * hours))
        local = kernels.columns.to_arrow(to_local(kernels, moment, zone), LONG)
        assert local.to_pylist() == [3600_000_000 * hours]
    # one of each table, before it is there for others; the second is made again at the end
    assert complete == [0, 1, 2, 2]
