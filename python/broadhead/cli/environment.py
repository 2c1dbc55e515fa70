"""Subcommands about Broadhead on this machine."""

from __future__ import annotations

import dataclasses
import json
import sys

import click

from broadhead.doctor import Finding, Status, examine, works
from broadhead.jar import jar_path

_STYLES = {
    Status.OK: "[green]ok[/]",
    Status.NONE: "[dim]none[/]",
    Status.WARN: "[yellow]warn[/]",
    Status.FAIL: "[red]fail[/]",
}


@click.command()
def jar() -> None:
    """Print the path of the jar for this environment's Spark."""
    click.echo(jar_path())


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(*, as_json: bool) -> None:
    """Check whether Broadhead works here, and print the remedies of problems.

    The exit status is 1 if the plugin cannot work.
    """
    findings = examine()
    if as_json:
        document = {
            "works": works(findings),
            "findings": [dataclasses.asdict(finding) for finding in findings],
        }
        click.echo(json.dumps(document, indent=2))
    else:
        _print(findings)
    sys.exit(0 if works(findings) else 1)


def _print(findings: list[Finding]) -> None:
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False, soft_wrap=True)
    width = max(len(finding.matter) for finding in findings)
    for finding in findings:
        padding = " " * (5 - len(finding.status))
        remedy = f" -> {escape(finding.remedy)}" if finding.remedy else ""
        console.print(
            f"{_STYLES[finding.status]}{padding}{finding.matter:<{width}}  "
            f"{escape(finding.found)}{remedy}"
        )
