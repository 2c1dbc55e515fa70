"""The subcommands that read Spark's event logs."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from broadhead.cli.settings import settings_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from broadhead.event_logs.application import ApplicationReader
    from broadhead.event_logs.logs import EventLog
    from broadhead.event_logs.qualification import Qualification
    from broadhead.event_logs.summary import Summary

_FILE = click.Path(dir_okay=False, path_type=Path)
_Command = Callable[..., None]


def _outputs(command: _Command) -> _Command:
    """Add the options that both subcommands have."""
    options = [
        click.option("--html", type=_FILE, metavar="FILE", help="Write one HTML file."),
        click.option("--json", "json_file", type=_FILE, metavar="FILE", help="Write JSON."),
        click.option(
            "--conf",
            "settings",
            multiple=True,
            metavar="KEY=VALUE",
            help="A key of Spark for remote logs, such as spark.hadoop.fs.s3a.endpoint=...",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@click.argument("logs", metavar="EVENTLOG...", nargs=-1)
@click.option("--compare", nargs=2, metavar="A B", help="Compare two logs query by query.")
@_outputs
def report(
    *,
    logs: tuple[str, ...],
    compare: tuple[str, str] | None,
    html: Path | None,
    json_file: Path | None,
    settings: tuple[str, ...],
) -> None:
    """Show what ran where, from Spark's event logs of runs with Broadhead.

    EVENTLOG is a log, a rolling log's folder, or a folder of logs, local or on a file system of
    Spark, such as s3a://bucket/logs.
    """
    from broadhead.event_logs.comparison import compare as compared
    from broadhead.event_logs.pages import write_page
    from broadhead.event_logs.summary import summarize
    from broadhead.event_logs.terminal import print_comparison, print_report

    if not logs and not compare:
        raise click.UsageError("name an event log, a folder of them, or --compare A B")
    conf = settings_of(settings, "--conf")
    applications: list[Summary] = _read(logs, conf, summarize)
    comparison = None
    if compare is not None:
        comparison = compared(*(_one(path, _read((path,), conf, summarize)) for path in compare))
    for application in applications:
        print_report(application)
    if comparison is not None:
        print_comparison(comparison)
    if html is not None:
        write_page(html, "report.html.j2", applications=applications, comparison=comparison)
    if json_file is not None:
        document = {
            "format": 1,
            "applications": [application.as_json() for application in applications],
            "comparison": comparison.as_json() if comparison else None,
        }
        _write_json(json_file, document)


@click.command()
@click.argument("logs", metavar="EVENTLOG...", nargs=-1, required=True)
@_outputs
def qualify(
    *, logs: tuple[str, ...], html: Path | None, json_file: Path | None, settings: tuple[str, ...]
) -> None:
    """Estimate what Broadhead would do for queries, from event logs of plain Spark.

    EVENTLOG is a log, a rolling log's folder, or a folder of logs, local or on a file system of
    Spark, such as s3a://bucket/logs.
    """
    from broadhead.event_logs import qualification
    from broadhead.event_logs.pages import write_page
    from broadhead.event_logs.remedy import remedy_for
    from broadhead.event_logs.terminal import print_qualification

    applications: list[Qualification] = _read(
        logs, settings_of(settings, "--conf"), qualification.qualify
    )
    for application in applications:
        print_qualification(application)
        click.echo(remedy_for(application.platform))
    if html is not None:
        write_page(html, "qualify.html.j2", applications=applications, remedy_for=remedy_for)
    if json_file is not None:
        _write_json(
            json_file,
            {"format": 1, "applications": [found.as_json() for found in applications]},
        )


def _one(path: str, found: list[Any]) -> Any:
    if len(found) != 1:
        message = f"{path} has {len(found)} event logs; --compare needs one on each side"
        raise click.UsageError(message)
    return found[0]


def _read(
    paths: tuple[str, ...],
    conf: Mapping[str, str],
    summarize: Callable[[ApplicationReader], Any],
) -> list[Any]:
    """Read all logs with a progress bar; a file in a named folder that is no log is passed over."""
    from broadhead.event_logs.application import ApplicationReader
    from broadhead.event_logs.events import NoEventLogError
    from broadhead.event_logs.logs import find_logs

    found: list[EventLog] = find_logs(paths, conf)
    results = []
    with _progress(sum(log.size for log in found)) as advance:
        for log in found:
            try:
                results.append(summarize(ApplicationReader(log, advance)))
            except NoEventLogError as error:
                if log.named:
                    raise
                click.echo(f"passed over: {error}", err=True)
    return results


@contextmanager
def _progress(size: int) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = ("reading", BarColumn(), DownloadColumn(binary_units=True), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("reading", total=size)
        yield lambda count: progress.advance(task, count)


def _write_json(path: Path, document: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
