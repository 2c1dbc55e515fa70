"""The reports as tables for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from broadhead.event_logs.formats import numbers, percent, ratio, short, size, span, time
from broadhead.event_logs.pages import plugin_line

if TYPE_CHECKING:
    from broadhead.event_logs.comparison import Comparison
    from broadhead.event_logs.qualification import Qualification
    from broadhead.event_logs.summary import QuerySummary, Summary

_REASONS = 12
_TEXT_WIDTH = 16


def print_report(summary: Summary) -> None:
    """Print the queries of one application, and why operators stayed with Spark."""
    console = Console(highlight=False)
    console.print(f"[bold]{escape(summary.name or summary.path)}[/] {escape(summary.identifier)}")
    console.print(escape(f"Spark {summary.spark_version}, {plugin_line(summary)}"))
    for note in summary.notes:
        console.print(f"[yellow]{escape(note)}[/]")
    table = _table(
        ("#", True), ("query", False), ("time", True), ("Broadhead", True),
        ("operators", True), ("replays", True), ("skew", True), ("spilled", True),
    )  # fmt: skip
    for query in summary.queries:
        table.add_row(*_row(query))
    console.print(table)
    _print_reasons(console, "why operators and expressions stayed with Spark", summary.reasons())


def print_qualification(found: Qualification) -> None:
    """Print the queries of an application of plain Spark with their estimates."""
    console = Console(highlight=False)
    console.print(f"[bold]{escape(found.name or found.path)}[/] {escape(found.identifier)}")
    for note in found.notes:
        console.print(f"[yellow]{escape(note)}[/]")
    table = _table(
        ("#", True), ("query", False), ("Spark", True), ("Broadhead", True), ("speed-up", True),
        ("range", True), ("operators", True),
    )  # fmt: skip
    for query in found.queries:
        table.add_row(
            str(query.number),
            escape(short(query.label)),
            time(query.wall_ms),
            time(query.estimate.ms),
            *_speedup(query.estimate.speedup(query.wall_ms)),
            f"{query.running}/{len(query.operators)}",
        )
    table.add_section()
    table.add_row(
        "",
        "all",
        time(found.wall_ms),
        time(found.estimate.ms),
        *_speedup(found.estimate.speedup(found.wall_ms)),
        "",
    )
    console.print(table)
    _print_reasons(console, "what would stay with Spark", found.reasons())


def _speedup(figures: dict[str, float]) -> tuple[str, str]:
    return ratio(figures["expected"]), span(figures["low"], figures["high"])


def _print_reasons(console: Console, heading: str, found: list[dict[str, Any]]) -> None:
    reasons = _table(("time", True), (heading, False), ("queries", False))
    for reason in found[:_REASONS]:
        reasons.add_row(time(reason["ms"]), escape(reason["reason"]), numbers(reason["queries"]))
    if reasons.rows:
        console.print(reasons)


def print_comparison(comparison: Comparison) -> None:
    """Print two applications query by query."""
    console = Console(highlight=False)
    console.print(escape(f"{comparison.first} against {comparison.second}"))
    table = _table(
        ("query", False), ("first", True), ("second", True), ("ratio", True), ("changes", False)
    )
    for pair in comparison.pairs:
        table.add_row(
            escape(short(pair.label)),
            time(pair.first_ms),
            time(pair.second_ms),
            ratio(pair.ratio),
            escape("; ".join(pair.changes)),
        )
    console.print(table)
    console.print(f"together {ratio(comparison.ratio)}; {comparison.unmatched} in one log only")


def _row(query: QuerySummary) -> tuple[str, ...]:
    mark = " [red]failed[/]" if query.error else "" if query.finished else " [red]not finished[/]"
    return (
        str(query.number),
        escape(short(query.label)) + mark,
        time(query.wall_ms),
        percent(query.time_share),
        f"{query.accelerated}/{query.total}",
        str(query.replays or ""),
        f"{query.skew:.1f}x" if query.skew >= 2 else "",
        size(query.disk_spilled) if query.disk_spilled else "",
    )


def _table(*columns: tuple[str, bool]) -> Table:
    table = Table(header_style="bold", box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for name, is_number in columns:
        table.add_column(
            name,
            justify="right" if is_number else "left",
            no_wrap=is_number,
            overflow="fold",
            min_width=None if is_number else _TEXT_WIDTH,
        )
    return table
