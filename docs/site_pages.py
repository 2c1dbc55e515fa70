"""Makes the site's pages from files of the repository that the pages of docs/ link to.

A link has one target in the repository and on the site. Files outside docs/ that are linked become
pages or downloads of the site, below `repository/`; a linked folder becomes a page with the text
of its files. mkdocs loads this module as a hook.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files, InclusionLevel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
ELSEWHERE = "repository"

_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?(?=\))")
_LANGUAGES = {".cfg": "ini", ".conf": "properties", ".sh": "bash", "": "text"}
"""Names of the languages of files whose suffix is not the name."""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add what the pages link to outside docs/."""
    for path in _linked():
        files.append(_as_file(path, config))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point the links of a page to the files of the site."""
    source = _source(page.file.src_uri)
    folder = source if source.is_dir() else source.parent
    here = Path(page.file.src_uri).parent

    def on_site(link: re.Match[str]) -> str:
        target = (folder / link[1]).resolve()
        if not target.exists():
            return link[0]
        return Path(os.path.relpath(_uri(target), here)).as_posix() + (link[2] or "")

    return _LINK.sub(on_site, markdown)


def _linked() -> list[Path]:
    """Give the files and folders outside docs/ to which pages lead, at once or in two steps."""
    found: dict[Path, None] = {}
    pages = sorted(DOCS.rglob("*.md"))
    for page in pages:
        for target in _targets(page):
            if target.is_relative_to(ROOT) and not target.is_relative_to(DOCS):
                if target not in found and target.suffix == ".md":
                    pages.append(target)
                found[target] = None
    return list(found)


def _targets(page: Path) -> Iterator[Path]:
    for link in _LINK.finditer(page.read_text(encoding="utf-8")):
        target = (page.parent / link[1]).resolve()
        if target.exists():
            yield target


def _as_file(path: Path, config: MkDocsConfig) -> File:
    outside = InclusionLevel.NOT_IN_NAV
    if path.is_dir():
        page = _folder_page(path)
        return File.generated(config, _uri(path), content=page, inclusion=outside)
    return File.generated(config, _uri(path), abs_src_path=str(path), inclusion=outside)


def _uri(path: Path) -> str:
    """Give the path of a file or folder of the repository among the sources of the site."""
    if path.is_relative_to(DOCS):
        return path.relative_to(DOCS).as_posix()
    name = path.relative_to(ROOT).as_posix()
    return f"{ELSEWHERE}/{name}/index.md" if path.is_dir() else f"{ELSEWHERE}/{name}"


def _source(uri: str) -> Path:
    """Give the file or folder of the repository from which a page is made."""
    if not uri.startswith(f"{ELSEWHERE}/"):
        return DOCS / uri
    path = ROOT / uri.removeprefix(f"{ELSEWHERE}/")
    return path if path.exists() else path.parent


def _folder_page(folder: Path) -> str:
    parts = [f"# {folder.relative_to(ROOT).as_posix()}/\n"]
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            parts += [f"## {path.name}/\n", *(_listing(p, 3) for p in sorted(path.iterdir()))]
        else:
            parts.append(_listing(path, 2))
    return "\n".join(parts)


def _listing(path: Path, level: int) -> str:
    language = _LANGUAGES.get(path.suffix, path.suffix.removeprefix("."))
    text = path.read_text(encoding="utf-8").rstrip()
    return f"{'#' * level} {path.name}\n\n````{language}\n{text}\n````\n"
