"""The queries of a cell as text, for consoles."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from broadhead.html_output.rendering import count, seconds
from broadhead.notebook.cell_queries import TIMES

if TYPE_CHECKING:
    from rich.table import Table

    from broadhead.notebook.cell_queries import CellQueries

_WIDTH = 110


def text_of(found: CellQueries) -> str:
    """Give the summary, the queries, the time by operator and the reasons."""
    from rich.console import Console

    output = StringIO()
    console = Console(
        file=output,
        width=_WIDTH,
        color_system=None,
        # It would display tables itself in a kernel.
        force_jupyter=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    console.print(found.summary)
    if found.queries:
        console.print("", _queries(found), "", _operators(found), TIMES, sep="\n")
    if found.reasons:
        console.print("", _reasons(found), sep="\n")
    return "\n".join(line.rstrip() for line in output.getvalue().rstrip().splitlines())


def _table(*columns: str, numbers: frozenset[int] = frozenset()) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for ordinal, name in enumerate(columns):
        table.add_column(name, justify="right" if ordinal in numbers else "left")
    return table


def _queries(found: CellQueries) -> Table:
    failed = any(query.error for query in found.queries)
    columns = ["Query", "Time", "In Broadhead", *(["Error"] if failed else [])]
    table = _table(*columns, numbers=frozenset({1, 2}))
    for query in found.queries:
        operators = f"{query.accelerated} of {len(query.operators)}"
        table.add_row(
            query.title, seconds(query.time), operators, *([query.error or ""] if failed else [])
        )
    if found.others:
        table.add_row(found.others_line)
    return table


def _operators(found: CellQueries) -> Table:
    table = _table("Operator", "Runs in", "Rows", "Time", numbers=frozenset({2, 3}))
    for total in found.by_operator:
        target = "Broadhead" if total.accelerated else "Spark"
        table.add_row(total.name, target, count(total.rows), seconds(total.time))
    return table


def _reasons(found: CellQueries) -> Table:
    table = _table("Stays with Spark", "Reason")
    for reason in found.reasons:
        table.add_row(reason.operators_line, reason.text)
    return table
