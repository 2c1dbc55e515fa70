"""The HTML pages: one file each, which refers to nothing outside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from broadhead.event_logs.formats import numbers, percent, ratio, short, size, span, time
from broadhead.event_logs.operator_times import Place

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from broadhead.event_logs.summary import QuerySummary, Summary

_COLUMN_PERCENT = 100.0


def write_page(path: Path, template: str, **content: Any) -> None:
    """Write a page from a template of this package."""
    environment = Environment(
        loader=PackageLoader("broadhead.event_logs", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "bar": bar,
        "numbers": numbers,
        "percent": percent,
        "plugin": plugin_line,
        "ratio": ratio,
        "short": short,
        "size": size,
        "span": span,
        "sum": total,
        "time": time,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(environment.get_template(template).render(**content), encoding="utf-8")


def bar(query: QuerySummary, longest: int) -> Markup:
    """Give a bar of the query's time, divided by where its tasks' time passed."""
    parts = {
        "gpu": query.places.get(Place.GPU, 0.0),
        "cpu": query.places.get(Place.CPU, 0.0),
        "bridge": query.bridge_ms + query.gpu_wait_ms,
        "spark": query.places.get(Place.SPARK, 0.0),
    }
    sum_ms = sum(parts.values()) or 1.0
    width = _COLUMN_PERCENT * query.wall_ms / max(1, longest)
    pieces = Markup("").join(
        Markup('<i class="{}" style="width: {:.1f}%"></i>').format(name, 100 * ms / sum_ms)
        for name, ms in parts.items()
        if ms
    )
    return Markup('<div class="bar" style="width: {:.1f}%">{}</div>').format(width, pieces)


def total(rows: Sequence[object], attribute: str) -> float:
    """Give the sum of one figure over all queries."""
    result: float = sum(getattr(row, attribute) for row in rows)
    return result


def plugin_line(summary: Summary) -> str:
    """Give the plugin's state in a few words."""
    plugin = summary.plugin
    if plugin["state"] == "none":
        return "without Broadhead"
    device = plugin.get("deviceName") or plugin.get("device", "")
    words = [f"Broadhead {plugin.get('version', '')}".strip()]
    if plugin["state"] != "on":
        words.append(f"is {plugin['state']}")
    if device:
        words.append(f"on the {device.upper()}" if device in {"gpu", "cpu"} else f"on {device}")
    if plugin.get("reason"):
        words.append(f"({plugin['reason']})")
    return " ".join(words)
