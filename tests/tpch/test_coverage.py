"""What is accelerated of each query, and why the rest is not, as pinned in coverage.json."""

from __future__ import annotations

import json
import os
from pathlib import Path

import broadhead
from broadhead.demo.queries import NUMBERS

GOLDEN = Path(__file__).with_name("coverage.json")
REFRESH = "REFRESH_GOLDEN=1 .venv/bin/python -m pytest tests/tpch/test_coverage.py"


def test_coverage_is_as_pinned(run_query):
    found = {f"Q{number}": _coverage(run_query, number) for number in NUMBERS}
    if os.environ.get("REFRESH_GOLDEN"):
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    pinned = json.loads(GOLDEN.read_text(encoding="utf-8"))
    changed = {
        name: {"pinned": pinned.get(name), "found": coverage}
        for name, coverage in found.items()
        if coverage != pinned.get(name)
    }
    assert not changed, (
        f"coverage changed; if that is meant, refresh {GOLDEN.name} with: {REFRESH}\n"
        + json.dumps(changed, indent=1)
    )


def test_every_operator_of_every_query_is_accelerated():
    pinned = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert pinned.keys() == {f"Q{number}" for number in NUMBERS}
    left = {name: c for name, c in pinned.items() if c["accelerated"] != c["total"] or c["reasons"]}
    assert not left, left


def _coverage(run_query, number):
    _, _, frame = run_query(number, accelerated=True)
    report = broadhead.explain(frame)
    return {
        "accelerated": report.accelerated,
        "total": report.total,
        "reasons": sorted(map(str, report.reasons)),
    }
