"""Files made from code are those that the code makes now."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from broadhead import capabilities

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
