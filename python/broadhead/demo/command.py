"""``broadhead demo``: 22 queries derived from TPC-H on plain Spark and on Broadhead."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from broadhead.demo import data, measure, report
from broadhead.demo.queries import Query, load_query, parse_numbers
from broadhead.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession
    from rich.console import Console
    from rich.progress import Progress

_ALL = "1-22"
# Timed rounds stop in time for the whole demonstration to end within three minutes.
_SECONDS = 165.0
_SHUFFLE_PARTITIONS_PER_CORE = 2
# Columns of the table where the output is no terminal.
_FILE_WIDTH = 120


@click.command()
@click.option(
    "--scale",
    type=click.FloatRange(0.001, 1000),
    default=1.0,
    show_default=True,
    help="Scale factor: gigabytes of data before compression.",
)
@click.option(
    "--queries",
    "chosen",
    default=_ALL,
    show_default=True,
    metavar="1,6",
    help="Queries to run, as numbers and ranges.",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("demo.html"),
    show_default=True,
    help="Write the report to this file.",
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the figures to this file.",
)
@click.option(
    "--data",
    "root",
    type=click.Path(file_okay=False, path_type=Path),
    default=data.DEFAULT_ROOT,
    show_default=True,
    help="Folder in which the data is made and kept, one sub-folder a scale factor.",
)
@click.option(
    "--runs",
    type=click.IntRange(1, 20),
    default=3,
    show_default=True,
    help="Timed runs of each query at most; fewer where time is short.",
)
@click.option(
    "--cores", type=click.IntRange(1), default=None, help="Cores that Spark uses.  [default: all]"
)
@click.option("--memory", default="4g", show_default=True, help="Memory of Spark's driver.")
@click.option(
    "--conf",
    multiple=True,
    metavar="KEY=VALUE",
    help="Spark configuration for both engines; may be repeated.",
)
@click.pass_context
def demo(
    context: click.Context,
    scale: float,
    chosen: str,
    html: Path,
    json_file: Path | None,
    root: Path,
    runs: int,
    cores: int | None,
    memory: str,
    conf: tuple[str, ...],
) -> None:
    """Run 22 queries on plain Spark and on Broadhead, and compare results and times.

    Makes the TPC-H data first if it is not there. The exit status is 1 if any result differs.

    The queries are derived from TPC-H; results are not comparable to published TPC-H results.
    """
    console = _console()
    try:
        queries = [load_query(number, scale) for number in parse_numbers(chosen)]
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--queries") from None
    pairs = _pairs(conf)
    folder = _data(console, root, scale)
    session = _session(cores or os.cpu_count() or 1, memory, pairs)
    try:
        data.register_views(session, folder)
        outcomes, rounds = _measure(console, session, queries, runs)
        setting = report.Setting(
            scale,
            session.sparkContext.defaultParallelism,
            rounds,
            {"Spark": session.version, "Broadhead": VERSION},
        )
    finally:
        session.stop()
    console.print(report.table(outcomes))
    console.print(setting.sentence, style="dim", highlight=False)
    if json_file is not None:
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(report.as_json(outcomes), encoding="utf-8")
    report.write_html(html, outcomes, setting)
    console.print(f"Report: {html}", highlight=False)
    context.exit(0 if all(outcome.equal for outcome in outcomes) else 1)


def _data(console: Console, root: Path, scale: float) -> Path:
    """Folder of the tables, made with a progress bar if it is not there."""
    with _progress(console) as progress:
        task = None

        def step(share: float) -> None:
            nonlocal task
            if task is None:
                task = progress.add_task(f"TPC-H data, scale factor {scale:g}", total=1.0)
            progress.update(task, completed=share)

        try:
            return data.make_data(root, scale, progress=step)
        except data.DataError as error:
            raise click.ClickException(str(error)) from error


def _measure(
    console: Console, session: SparkSession, queries: Sequence[Query], runs: int
) -> tuple[list[measure.Outcome], int]:
    """Outcomes of the queries, and how many timed rounds there were."""
    import broadhead

    deadline = time.monotonic() + _SECONDS
    with _progress(console) as progress:
        task = progress.add_task("starting", total=2 * len(queries))

        def step(text: str) -> None:
            progress.update(task, description=text)
            progress.advance(task)

        measurement = measure.Measurement(session, queries, broadhead.explain, step)
        measurement.warm_up()
        progress.update(task, total=(1 + runs) * len(queries))
        rounds = measurement.measure(runs, deadline)
    return measurement.outcomes, rounds


def _session(cores: int, memory: str, conf: dict[str, str]) -> SparkSession:
    """Local session with Broadhead in it, for both engines."""
    from pyspark.sql import SparkSession

    import broadhead

    builder = (
        SparkSession.builder.master(f"local[{cores}]")
        .appName("broadhead demo")
        .config("spark.driver.memory", memory)
        .config("spark.sql.shuffle.partitions", str(_SHUFFLE_PARTITIONS_PER_CORE * cores))
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
    )
    for key, value in conf.items():
        builder = builder.config(key, value)
    return broadhead.configure(builder).getOrCreate()


def _pairs(conf: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for text in conf:
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise click.BadParameter(f"'{text}' is not of the form KEY=VALUE", param_hint="--conf")
        pairs[key] = value
    return pairs


def _console() -> Console:
    from rich.console import Console

    console = Console()
    return console if console.is_terminal else Console(width=_FILE_WIDTH)


def _progress(console: Console) -> Progress:
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description:32}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
