"""Subcommands that become another program: Spark's own, or the user's."""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

import click

from broadhead.cli.settings import settings_of
from broadhead.jar import LaunchError
from broadhead.launch import run_environment, submit_command

_PASSED_ON: dict[str, Any] = {
    "ignore_unknown_options": True,
    "allow_interspersed_args": False,
    "help_option_names": [],
}


_START = """
import sys
if not sys.flags.safe_path:
    del sys.path[0]  # the current directory may have a broadhead of its own
from broadhead.__main__ import main
main()
"""


def _become(command: list[str], environment: dict[str, str]) -> NoReturn:
    """Replace this process, so that exit status and signals are the program's own."""
    sys.stdout.flush()
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        message = f"cannot start {command[0]}: {error.strerror}"
        raise LaunchError(message) from error


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("--conf", "settings", multiple=True, metavar="KEY=VALUE", help="A key of Spark.")
@click.argument("program", metavar="PROGRAM.py")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(settings: tuple[str, ...], program: str, arguments: tuple[str, ...]) -> None:
    """Run an unchanged PySpark program, like `python PROGRAM.py ARGUMENTS...` would.

    Settings of the program are kept. Broadhead is added to its spark.jars and spark.plugins.
    """
    conf = settings_of(settings, "--conf")
    _become([sys.executable, "-c", _START, program, *arguments], run_environment(conf))


def _spark_program(name: str, program: str, description: str) -> click.Command:
    @click.command(name, context_settings=_PASSED_ON, help=description)
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def command(arguments: tuple[str, ...]) -> None:
        _become(*submit_command(program, arguments))

    return command


shell = _spark_program("shell", "pyspark", "Start the PySpark shell with Broadhead added.")
submit = _spark_program("submit", "spark-submit", "Run spark-submit with Broadhead added.")
sql = _spark_program("sql", "spark-sql", "Run spark-sql with Broadhead added.")
