"""The version of this code, in a checkout, a wheel or the plugin's jar."""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path


def _version() -> str:
    """Give the version of the checkout's pyproject.toml, else that of the packed capabilities.

    The version of an installed distribution is not used: inside a Spark worker the code comes from
    the plugin's jar, and another version may be installed as well.
    """
    try:
        project = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    except OSError:
        project = ""
    if re.search(r'^name = "broadhead"$', project, re.MULTILINE):
        found = re.search(r'^version = "(.+)"$', project, re.MULTILINE)
    else:
        capabilities = pkgutil.get_data("broadhead", "capabilities.json") or b""
        found = re.search(r'"version": *"(.+?)"', capabilities[:1000].decode("utf-8", "replace"))
    if found is None:
        message = "no version in broadhead/capabilities.json: the package is damaged, reinstall it"
        raise RuntimeError(message)
    return found[1]


VERSION = _version()
