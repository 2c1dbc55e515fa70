"""The subcommand that prints the configuration of Spark, for this machine or for a platform."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from broadhead.cli.settings import settings_of
from broadhead.jar import LaunchError, find_spark
from broadhead.launch import plugin_conf
from broadhead.platforms.choices import CPU, GPU, gibibytes
from broadhead.platforms.rendering import files, option_name, write

_Command = Callable[..., None]

_OPTIONS: tuple[tuple[str, Any, str], ...] = (
    ("device", click.Choice([GPU, CPU]), "What the executors compute on. Default: gpu."),
    ("cuda", click.Choice(["12", "13"]), "CUDA version of the GPU driver. Default: 13."),
    ("cores", click.IntRange(min=1), "Cores of an executor."),
    ("memory", str, "Memory of an executor with its Python workers, such as 24g."),
    ("executors", click.IntRange(min=1), "Largest number of executors."),
    ("jar", str, "Where Spark finds the plugin's jar, such as s3://bucket/broadhead/NAME.jar."),
    ("python", str, "Python of the executors: an archive (.tar.gz), or an interpreter."),
    ("packages", str, "Requirements of your functions for that Python: 'scipy xgboost>=2,<3'."),
    ("local_dir", str, "Folder on a local disk of the executors."),
    ("image", str, "Container image."),
    ("gpu_discovery", str, "Path on the hosts of the script that finds GPUs."),
)


def _platform_options(command: _Command) -> _Command:
    """Add the options for the choices of a platform."""
    for name, kind, description in reversed(_OPTIONS):
        command = click.option(option_name(name), name, type=kind, help=description)(command)
    return command


@click.command()
@click.option("--args", "as_arguments", is_flag=True, help="As arguments of spark-submit.")
@click.option(
    "--for",
    "platform",
    metavar="PLATFORM",
    help="The files of a platform: connect, databricks, dataproc, emr, kubernetes, standalone, "
    "yarn.",
)
@click.option("--file", "file", metavar="NAME", help="One file of the platform only.")
@click.option(
    "--output", type=click.Path(file_okay=False, path_type=Path), help="Write to a folder."
)
@_platform_options
@click.option(
    "--requirements",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="More of --packages, one in a line of a file.",
)
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="One more key of Spark."
)
def conf(
    *,
    as_arguments: bool,
    platform: str | None,
    file: str | None,
    output: Path | None,
    requirements: Path | None,
    settings: tuple[str, ...],
    **choices: Any,
) -> None:
    """Print the keys that load the plugin, as lines for spark-defaults.conf.

    With --args, for a command line: spark-submit $(broadhead conf --args) program.py

    With --for, print the files with which a platform runs Broadhead. The options after --output
    replace the platform's own values.
    """
    options = {name: value for name, value in choices.items() if value is not None}
    packages = (*options.pop("packages", "").split(), *_lines(requirements))
    if packages:
        options["packages"] = packages
    if settings:
        options["settings"] = settings_of(settings, "--set")
    if platform is None:
        _without_platform([*options, *(["file"] if file else []), *(["output"] if output else [])])
        _print_keys(as_arguments=as_arguments)
        return
    if as_arguments:
        message = "--args is not for a platform; its keys are in its spark-defaults.conf"
        raise LaunchError(message)
    if "memory" in options:
        options["memory"] = gibibytes(options["memory"])
    if "cuda" in options:
        options["cuda"] = int(options["cuda"])
    found = files(platform, options)
    if file is not None:
        if file not in found:
            message = f"{platform} has no file {file!r}; it has {', '.join(found)}"
            raise LaunchError(message)
        found = {file: found[file]}
    if output is not None:
        write(found, output)
    elif file is not None:
        click.echo(found[file], nl=False)
    else:
        click.echo("\n".join(f"==> {name} <==\n{text}" for name, text in found.items()), nl=False)


def _lines(requirements: Path | None) -> Iterator[str]:
    """Give the requirements of a file for pip."""
    lines = requirements.read_text(encoding="utf-8").splitlines() if requirements else []
    for line in lines:
        package = line.partition("#")[0].strip()
        if package.startswith("-"):
            message = f"{requirements} has the option {package!r}; name packages only"
            raise LaunchError(message)
        if package:
            yield package


def _without_platform(options: list[str]) -> None:
    if options:
        named = ", ".join(option_name(option) for option in options)
        message = f"{named}: only with --for PLATFORM"
        raise LaunchError(message)


def _print_keys(*, as_arguments: bool) -> None:
    keys = plugin_conf({}, find_spark())
    if as_arguments:
        jars, plugins = keys["spark.jars"], keys["spark.plugins"]
        click.echo(shlex.join(["--jars", jars, "--conf", f"spark.plugins={plugins}"]))
    else:
        for key, value in keys.items():
            click.echo(f"{key} {value}")
