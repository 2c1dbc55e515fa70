"""Files made from code are those that the code makes now."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from broadhead import capabilities
from broadhead.platforms.registry import platforms
from broadhead.platforms.rendering import files

ROOT = Path(__file__).parents[2]
REFRESH = "refresh it with: make docs"


@pytest.fixture(scope="module")
def generate():
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
