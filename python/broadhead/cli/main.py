"""The `broadhead` command and its subcommands, each loaded when it is called."""

from __future__ import annotations

import importlib
from typing import Any

import click

from broadhead.jar import LaunchError
from broadhead.version import VERSION

# Subcommand -> module, name in it, and description for `broadhead --help`.
_COMMANDS = {
    "run": ("broadhead.cli.programs", "run", "Run an unchanged PySpark program."),
    "shell": ("broadhead.cli.programs", "shell", "Start the PySpark shell."),
    "submit": ("broadhead.cli.programs", "submit", "Run spark-submit."),
    "sql": ("broadhead.cli.programs", "sql", "Run spark-sql."),
    "doctor": ("broadhead.cli.environment", "doctor", "Check whether Broadhead works here."),
    "conf": ("broadhead.cli.configuration", "conf", "Print the configuration for Spark."),
    "jar": ("broadhead.cli.environment", "jar", "Print the path of the plugin's jar."),
    "report": (
        "broadhead.cli.event_logs",
        "report",
        "Show what ran where, from event logs of Spark.",
    ),
    "qualify": (
        "broadhead.cli.event_logs",
        "qualify",
        "Estimate the speed-up of queries, from event logs of plain Spark.",
    ),
    "demo": ("broadhead.demo.command", "demo", "Compare TPC-H on plain Spark and on Broadhead."),
}


class _Commands(click.Group):
    """Subcommands that are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the subcommands in the order of the table."""
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Give a subcommand; its module is imported now."""
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module, name, _ = _COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of subcommands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, _, line) in _COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a subcommand; an error of Broadhead is printed as one sentence."""
        try:
            return super().invoke(ctx)
        except LaunchError as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="broadhead")
def main() -> None:
    """Run Spark with Broadhead: unchanged PySpark and SQL programs on GPUs and Arrow."""
