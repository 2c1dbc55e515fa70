"""What a page of docs/ says to add to the sources: its code blocks that name a file.

A block is a whole new file, or a `diff` to one that is there. Of a diff, the lines without `+` say
where the others go: each stands in the file, after the one before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_BLOCK = re.compile(r"^```(\w+) (\S+/\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Addition:
    """A block of the page `page`: what to add to the file `path`, or to make it of."""

    page: str
    path: str
    text: str
    is_change: bool

    def add_to(self, root: Path) -> None:
        """Follow the page in the sources below `root`."""
        target = root / self.path
        if self.is_change:
            target.write_text(self._changed(target.read_text()))
        else:
            assert not target.exists(), f"{self.page}: {self.path} is not new, choose a new example"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self.text)

    def _changed(self, source: str) -> str:
        lines = source.splitlines()
        position = 0
        for line in self.text.splitlines():
            mark, content = line[:1], line[1:]
            if mark == "+":
                lines.insert(position, content)
            else:
                assert content in lines[position:], (
                    f"{self.page} is old: {self.path} has no such line, in this order: {content}"
                )
                position = lines.index(content, position)
            position += 1
        return "\n".join(lines) + "\n"


def additions_of(page: Path) -> list[Addition]:
    """The additions of a page, in its order."""
    return [
        Addition(page.name, path, text, language == "diff")
        for language, path, text in _BLOCK.findall(page.read_text())
    ]
