"""The user's configuration: the arguments of spark-submit and Spark's properties files."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# spark-submit's options without a value; all others have one.
_FLAGS = frozenset(
    {
        "--help",
        "-h",
        "--load-spark-defaults",
        "--supervise",
        "--usage-error",
        "--verbose",
        "-v",
        "--version",
    }
)
# Options that are another form of a configuration key, and have priority over it.
_KEYS = {"--jars": "spark.jars", "--master": "spark.master"}


@dataclass(frozen=True, slots=True)
class SubmitArguments:
    """A spark-submit command line, taken apart.

    Attributes
    ----------
    options
        Options other than those in `conf`, as they were written.
    conf
        Settings of `--conf` and of options for single keys, in Spark's order of precedence.
    application
        The program, and its own arguments.
    """

    options: tuple[str, ...] = ()
    conf: dict[str, str] = field(default_factory=dict)
    application: tuple[str, ...] = ()

    def properties(self, spark_home: Path) -> dict[str, str]:
        """Give the whole configuration: properties file or defaults, and the settings above."""
        files = [
            value
            for option, value in zip(self.options, self.options[1:], strict=False)
            if option == "--properties-file"
        ]
        base = {} if files and "--load-spark-defaults" not in self.options else defaults(spark_home)
        for name in files[-1:]:
            base |= read_properties(Path(name))
        return base | self.conf

    def command(self, conf: dict[str, str]) -> list[str]:
        """Give the command line again, with the keys of `conf` in position of the user's own."""
        merged = self.conf | conf
        words = list(self.options)
        for option, key in _KEYS.items():
            if key in merged:
                words += [option, merged[key]]
        for key, value in merged.items():
            if key not in _KEYS.values():
                words += ["--conf", f"{key}={value}"]
        return [*words, *self.application]


def parse_submit_arguments(words: Sequence[str]) -> SubmitArguments:
    """Take a spark-submit command line apart."""
    options: list[str] = []
    conf: dict[str, str] = {}
    written: dict[str, str] = {}
    position = 0
    while position < len(words) and words[position].startswith("-") and words[position] != "-":
        word = words[position]
        position += 1
        if word in _FLAGS:
            options.append(word)
            continue
        option, equals, value = word.partition("=")
        if not (equals and option.startswith("--")):
            option = word
            if position == len(words):
                options.append(word)
                break
            value = words[position]
            position += 1
        if option in ("--conf", "-c"):
            key, _, setting = value.partition("=")
            conf[key.strip()] = setting
        elif option in _KEYS:
            written[_KEYS[option]] = value
        else:
            options += [option, value]
    return SubmitArguments(tuple(options), conf | written, tuple(words[position:]))


def defaults(spark_home: Path) -> dict[str, str]:
    """Give the settings of spark-defaults.conf."""
    folder = Path(os.environ.get("SPARK_CONF_DIR") or spark_home / "conf")
    return read_properties(folder / "spark-defaults.conf")


def read_properties(path: Path) -> dict[str, str]:
    """Give the keys of a Java properties file; none if it does not exist."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    found: dict[str, str] = {}
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        stripped = line.strip()
        if stripped and stripped[0] not in "#!":
            key, *value = re.split(r"\s*[=:]\s*|\s+", stripped, maxsplit=1)
            found[key] = value[0] if value else ""
    return found


def append_to_list(existing: str, item: str) -> str:
    """Give a comma-separated list with an item at its end, once."""
    items = [entry.strip() for entry in existing.split(",") if entry.strip()]
    return ",".join(items if item in items else [*items, item])
