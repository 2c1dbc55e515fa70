"""The files of a platform: its templates, filled in with the user's choices."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from broadhead.jar import LaunchError
from broadhead.platforms.keys import flat, properties, with_settings
from broadhead.platforms.registry import Platform, find_platform

_TEMPLATES = Path(__file__).parent / "templates"
_SUFFIX = ".j2"


def files(name: str, options: Mapping[str, object] | None = None) -> dict[str, str]:
    """Give the files of a platform and their text.

    Parameters
    ----------
    name
        The platform.
    options
        The user's values of `Choices`; the others are the platform's own.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    options = options or {}
    platform = find_platform(name)
    _check_options(platform, options)
    choices = replace(platform.defaults, **options)  # type: ignore[arg-type]
    groups = list(with_settings(platform.groups(choices), choices.settings))
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["words"] = shlex.join
    values: dict[str, Any] = {
        "choices": choices,
        "keys": flat(groups),
        "properties": properties(groups),
        "json_object": _json_object,
        "command": _command(name, options),
    }
    return {
        path.name.removesuffix(_SUFFIX): environment.get_template(
            path.relative_to(_TEMPLATES).as_posix()
        ).render(values)
        for path in _templates(name, on_gpu=choices.on_gpu)
    }


def write(found: Mapping[str, str], folder: Path) -> None:
    """Write files into a folder; scripts can be run."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in found.items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        if name.endswith(".sh"):
            path.chmod(path.stat().st_mode | 0o111)


def _templates(name: str, *, on_gpu: bool) -> list[Path]:
    """Give the templates of a platform; the folder `gpu` has those for hosts with a GPU."""
    folders = [_TEMPLATES / name, *([_TEMPLATES / name / "gpu"] if on_gpu else [])]
    found = [path for folder in folders for path in folder.glob(f"*{_SUFFIX}")]
    return sorted(found, key=lambda path: path.name)


def _check_options(platform: Platform, options: Mapping[str, object]) -> None:
    for option in options:
        if option not in platform.takes:
            taken = ", ".join(sorted(option_name(name) for name in platform.takes))
            message = f"{option_name(option)} has no meaning for {platform.name}, which has {taken}"
            raise LaunchError(message)


def option_name(choice: str) -> str:
    """Give the option of the command for a field of `Choices`."""
    return "--set" if choice == "settings" else f"--{choice.replace('_', '-')}"


def _json_object(value: Mapping[str, str], indent: int) -> str:
    """Give an object of JSON whose lines, but the first, are indented."""
    return json.dumps(value, indent=2).replace("\n", "\n" + " " * indent)


def _command(name: str, options: Mapping[str, object]) -> str:
    """Give the command that prints these files, for their first line."""
    words = ["broadhead conf", f"--for {name}"]
    for option, value in options.items():
        if isinstance(value, Mapping):
            words += [f"--set {key}={setting}" for key, setting in value.items()]
        elif isinstance(value, tuple):
            words.append(f"{option_name(option)} {shlex.quote(' '.join(value))}")
        else:
            words.append(f"{option_name(option)} {value}{'g' if option == 'memory' else ''}")
    return " ".join(words)
