"""Templates of HTML for notebooks, in the colours of the reader's theme."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **values: object) -> str:
    """Give a template's HTML; all values are escaped."""
    return _environment().get_template(f"{template}.html.j2").render(values)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("broadhead.html_output"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["seconds"] = seconds
    environment.filters["count"] = count
    return environment


def seconds(nanoseconds: int | None) -> str:
    """Give a time in seconds, with as many digits as it can be measured."""
    return "" if nanoseconds is None else f"{nanoseconds / 1e9:,.2f} s"


def count(number: int | None) -> str:
    """Give a number with its thousands separated."""
    return "" if number is None else f"{number:,}"
