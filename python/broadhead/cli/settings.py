"""Keys of Spark on a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable


def settings_of(words: Iterable[str], option: str) -> dict[str, str]:
    """Give the keys and values of an option that was given once or several times."""
    found = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            message = f"{word!r} is not of the form KEY=VALUE"
            raise click.BadParameter(message, param_hint=option)
        found[key] = value
    return found
