"""The HTML pages: one file each, which refers to nothing outside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader

from broadhead.event_logs.formats import numbers, percent, ratio, short, size, span, time
from broadhead.event_logs.operator_times import Target

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from broadhead.event_logs.summary import QuerySummary, Summary


_TARGET_CLASSES = {
    str(Target.GPU): "gpu",
    str(Target.CPU): "cpu",
    str(Target.SPARK): "spark",
    str(Target.SPARK_CODE): "code",
}


def write_page(path: Path, template: str, **content: Any) -> None:
    """Write a page from a template of this package."""
    environment = Environment(
        loader=PackageLoader("broadhead.event_logs", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "bar_parts": bar_parts,
        "numbers": numbers,
        "percent": percent,
        "plugin": plugin_line,
        "ratio": ratio,
        "short": short,
        "size": size,
        "span": span,
        "sum": total,
        "target": _TARGET_CLASSES.get,
        "time": time,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(environment.get_template(template).render(**content), encoding="utf-8")


def bar_parts(query: QuerySummary) -> list[tuple[str, float]]:
    """Give where a query's tasks' time passed, with percentages."""
    parts = {
        "gpu": query.targets.get(Target.GPU, 0.0),
        "cpu": query.targets.get(Target.CPU, 0.0),
        "bridge": query.bridge_ms + query.gpu_wait_ms,
        "code": query.spark_code_ms,
        "spark": query.targets.get(Target.SPARK, 0.0),
    }
    whole = sum(parts.values())
    return [(name, round(100 * ms / whole, 1)) for name, ms in parts.items() if ms]


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
    return ", ".join([" ".join(words), *_memory(plugin.get("workers", []))])


def _memory(workers: Sequence[dict[str, int]]) -> list[str]:
    """Give the memory of workers in an executor: the least, if hosts differ."""
    if not workers:
        return []
    least = workers[0]
    some = "at least " if len(workers) > 1 else ""
    tasks = "1 task" if least["tasks"] == 1 else f"{least['tasks']} tasks at the same time"
    return [f"workers of an executor have {some}{size(least['memory'])} for {tasks}"]
