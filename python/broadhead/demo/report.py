"""The demonstration's report: a table for the terminal, one self-contained HTML page, JSON."""

from __future__ import annotations

import json
import math
import os
import platform
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.demo.measure import Outcome, total_ratio
from broadhead.demo.queries import NOTE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.table import Table

_SPEED_UP = 1.05
_SLOW_DOWN = 0.95


@dataclass(frozen=True)
class Setting:
    """The conditions of the measurement: data, machine, versions."""

    scale: float
    cores: int
    rounds: int
    versions: dict[str, str]

    @property
    def sentence(self) -> str:
        """The setting in one line."""
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        runs = "one timed run" if self.rounds == 1 else f"best of {self.rounds} timed runs"
        return (
            f"scale factor {self.scale:g}, {self.cores} of {os.cpu_count()} cores "
            f"({platform.machine()}), {runs} after a warm-up, engines alternating; {versions}"
        )


def table(outcomes: Sequence[Outcome]) -> Table:
    """The outcomes as a table for the terminal."""
    from rich.table import Table

    result = Table(caption=NOTE, header_style="bold", row_styles=("", "dim"))
    result.add_column("Query", no_wrap=True)
    for heading in ("Spark s", "Broadhead s", "Ratio", "Operators"):
        result.add_column(heading, justify="right", no_wrap=True)
    result.add_column("First reason where not all are accelerated", overflow="fold")
    for outcome in outcomes:
        result.add_row(
            outcome.query.label,
            _seconds(outcome.spark_s),
            _seconds(outcome.broadhead_s),
            _ratio(outcome.ratio),
            f"{outcome.accelerated}/{outcome.total}",
            _remark(outcome),
        )
    result.add_section()
    result.add_row(
        "total",
        _seconds(sum(o.spark_s for o in outcomes)),
        _seconds(sum(o.broadhead_s for o in outcomes)),
        _ratio(total_ratio(outcomes)),
        f"{sum(o.accelerated for o in outcomes)}/{sum(o.total for o in outcomes)}",
        _verdict(outcomes),
        style="bold",
    )
    return result


def as_json(outcomes: Sequence[Outcome]) -> str:
    """The outcomes as JSON."""
    document = {
        "queries": [outcome.as_json() for outcome in outcomes],
        "total_ratio": round(total_ratio(outcomes), 3),
    }
    return json.dumps(document, indent=2) + "\n"


def write_html(path: Path, outcomes: Sequence[Outcome], setting: Setting) -> None:
    """Write the page: bars, table and reasons in one file that refers to nothing outside it."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("broadhead.demo", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["seconds"] = _seconds
    environment.filters["ratio"] = _ratio
    reasons = Counter(reason for outcome in outcomes for reason in outcome.reasons)
    page = environment.get_template("report.html.j2").render(
        outcomes=outcomes,
        setting=setting,
        note=NOTE,
        chart=_Chart(outcomes),
        reasons=reasons.most_common(),
        spark_total=sum(outcome.spark_s for outcome in outcomes),
        broadhead_total=sum(outcome.broadhead_s for outcome in outcomes),
        total_ratio=total_ratio(outcomes),
        verdict=_verdict(outcomes),
        accelerated=sum(outcome.accelerated for outcome in outcomes),
        total=sum(outcome.total for outcome in outcomes),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")


class _Chart:
    """Geometry of the bar chart: two bars a query, on one axis of seconds."""

    width = 900
    left = 56
    right = 96
    top = 26
    bar = 11
    pitch = 32

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        longest = max((max(o.spark_s, o.broadhead_s) for o in outcomes), default=0.0)
        self._step = _axis_step(longest)
        self._end = self._step * max(1, math.ceil(longest / self._step))
        self.height = self.top + self.pitch * len(outcomes) + 8
        self.bars = [self._bars(row, outcome) for row, outcome in enumerate(outcomes)]
        ticks = round(self._end / self._step)
        self.ticks = [
            {"x": self._x(i * self._step), "label": f"{i * self._step:g}"} for i in range(ticks + 1)
        ]

    def _x(self, seconds: float) -> float:
        share = seconds / self._end
        return round(self.left + share * (self.width - self.left - self.right), 1)

    def _bars(self, row: int, outcome: Outcome) -> dict[str, Any]:
        y = self.top + row * self.pitch + 4
        longest = max(outcome.spark_s, outcome.broadhead_s)
        if outcome.ratio >= _SPEED_UP:
            verdict = "faster"
        else:
            verdict = "slower" if outcome.ratio < _SLOW_DOWN else "same"
        return {
            "outcome": outcome,
            "y": y,
            "spark": round(self._x(outcome.spark_s) - self.left, 1),
            "broadhead": round(self._x(outcome.broadhead_s) - self.left, 1),
            "end": self._x(longest) + 8,
            "verdict": verdict,
        }


def _axis_step(longest: float) -> float:
    """Round step that gives the axis four to ten ticks."""
    if longest <= 0:
        return 1.0
    magnitude = 10.0 ** math.floor(math.log10(longest / 4))
    return next(m * magnitude for m in (1, 2, 5, 10) if longest / (m * magnitude) <= 10)


def _seconds(value: float) -> str:
    return f"{value:.2f}" if value else "-"


def _ratio(value: float) -> str:
    return f"{value:.2f}x" if value else "-"


def _remark(outcome: Outcome) -> str:
    if not outcome.equal:
        return f"DIFFERS: {outcome.difference}"
    if outcome.accelerated < outcome.total and outcome.reasons:
        return outcome.reasons[0]
    return ""


def _verdict(outcomes: Sequence[Outcome]) -> str:
    wrong = [outcome.query.label for outcome in outcomes if not outcome.equal]
    if wrong:
        return f"{', '.join(wrong)} differ from plain Spark"
    return f"results equal plain Spark's in all {len(outcomes)}"
