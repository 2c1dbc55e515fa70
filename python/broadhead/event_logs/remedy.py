"""What to set on the cluster of a log, so that its queries run in Broadhead."""

from __future__ import annotations

from broadhead.launch import PLUGIN

_KEYS = f"""spark.plugins  {PLUGIN}
spark.jars     the path that `broadhead jar` prints"""


def remedy_for(platform: str) -> str:
    """Give the keys to set, and the command that prints the platform's files."""
    command = f"broadhead conf --for {platform}" if platform else "broadhead conf"
    return f"{_KEYS}\n\n{command}  # prints them filled in, with all else that is needed"
