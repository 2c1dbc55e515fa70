"""The registry of platforms: each is a module of this package and a folder of templates."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import broadhead.platforms
from broadhead.jar import LaunchError
from broadhead.platforms.choices import Choices
from broadhead.platforms.keys import Group

Groups = Callable[[Choices], list[Group]]


@dataclass(frozen=True, slots=True)
class Platform:
    """A platform that runs Spark.

    Attributes
    ----------
    name
        Its name for `broadhead conf --for`.
    takes
        The options that its files depend on.
    defaults
        The values of the options that the user leaves out.
    groups
        Gives Spark's keys for the user's choices.
    """

    name: str
    takes: frozenset[str]
    defaults: Choices
    groups: Groups


_EVERYWHERE = frozenset({"device", "cuda", "cores", "executors", "settings"})
_PLATFORMS: dict[str, Platform] = {}


def platform(name: str, **defaults: object) -> Callable[[Groups], Groups]:
    """Register a platform: the decorated function gives Spark's keys for the user's choices.

    The platform takes the options for which it gives a default, and those that all take.
    """

    def register(groups: Groups) -> Groups:
        takes = frozenset(defaults) | _EVERYWHERE
        _PLATFORMS[name] = Platform(name, takes, Choices(**defaults), groups)  # type: ignore[arg-type]
        return groups

    return register


def platforms() -> Mapping[str, Platform]:
    """Give the platforms by their names."""
    for module in pkgutil.iter_modules(broadhead.platforms.__path__, "broadhead.platforms."):
        importlib.import_module(module.name)
    return dict(sorted(_PLATFORMS.items()))


def find_platform(name: str) -> Platform:
    """Give the platform of a name."""
    known = platforms()
    if name not in known:
        message = f"no platform is named {name!r}; choose one of {', '.join(known)}"
        raise LaunchError(message)
    return known[name]
