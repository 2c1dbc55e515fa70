"""Files made from code are those that the code makes now."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from broadhead import capabilities
from broadhead.platforms.registry import platforms
from broadhead.platforms.rendering import files

ROOT = Path(__file__).parents[2]
REFRESH = "refresh it with: make docs"


@pytest.fixture(scope="module")
def generate():
    sys.path.append(str(ROOT / "docs"))
    spec = importlib.util.spec_from_file_location("generate_docs", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_capabilities() -> None:
    written = capabilities.PATH.read_text()
    assert written == capabilities.text(), f"{capabilities.PATH} is old; {REFRESH}"


def test_functions_page(generate) -> None:
    listed = json.loads(generate.CAPABILITIES.read_text())
    page = ROOT / "docs" / "functions.md"
    assert page.read_text() == generate.functions_page(listed), f"{page} is old; {REFRESH}"


def test_compatibility_page(generate) -> None:
    listed = json.loads(generate.CAPABILITIES.read_text())
    page = ROOT / "docs" / "compatibility.md"
    assert page.read_text() == generate.compatibility_page(listed), f"{page} is old; {REFRESH}"


def test_operators_that_are_not_exact_say_so(generate) -> None:
    """In docs/operators.md, which also names every operator."""
    levels = json.loads(generate.CAPABILITIES.read_text())["operators"]
    page = (ROOT / "docs" / "operators.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    for name, level in levels.items():
        row = next((row for row in rows if f"`{name}`" in row.split("|")[1]), None)
        assert row is not None, f"{name} is not in docs/operators.md"
        assert level == "exact" or level in row, f"{name}: say `{level}` in docs/operators.md"


def test_configuration_page(generate, jar) -> None:
    page = ROOT / "docs" / "configuration.md"
    text = generate.configuration_page(generate.read_settings())
    assert page.read_text() == text, f"{page} is old; {REFRESH}"


@pytest.mark.parametrize("name", platforms())
def test_files_of_a_platform(name: str) -> None:
    folder = ROOT / "conf" / name
    written = {path.name: path.read_text() for path in folder.iterdir()}
    assert written == files(name), f"{folder} is old; {REFRESH}"
    wrong = [path for path in folder.glob("*.sh") if not path.stat().st_mode & 0o100]
    assert not wrong, f"cannot be run: {wrong}"


def test_every_folder_is_of_a_platform() -> None:
    assert {path.name for path in (ROOT / "conf").iterdir()} == set(platforms())
