"""Rules ask for properties of functions: a list of their names would miss the next one."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from broadhead.aggregates.registry import aggregates
from broadhead.functions.registry import functions
from broadhead.plan import known_functions
from broadhead.window_functions.registry import window_functions

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "broadhead"
REGISTRIES = {"functions", "aggregates", "window_functions"}
KNOWN = "plan/known_functions.py"
NAMES = functions().keys() | aggregates().keys() | window_functions().keys()
OPERATORS = {"Coalesce"}
"""Names of functions that operators have, too."""


def compared(tree: ast.AST) -> set[tuple[int, str]]:
    """Lines and names: comparisons, patterns, sets, keys, and constants that serve for these."""
    places: list[ast.AST] = []
    for node in ast.walk(tree):
        match node:
            case ast.Compare() | ast.MatchValue() | ast.Set():
                places.append(node)
            case ast.Dict(keys=keys):
                places += [key for key in keys if key is not None]
            case ast.Assign(value=ast.Constant() | ast.Tuple() as value):
                places.append(value)
    return {
        (found.lineno, found.value)
        for place in places
        for found in ast.walk(place)
        if isinstance(found, ast.Constant) and found.value in NAMES - OPERATORS
    }


def test_only_the_registries_compare_names_of_functions() -> None:
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        if relative.parts[0] not in REGISTRIES and relative.as_posix() != KNOWN:
            found = compared(ast.parse(path.read_text()))
            wrong += [f"{relative}:{line} {name}" for line, name in sorted(found)]
    assert not wrong, f"give the registry a property instead: {wrong}"


def test_the_planner_compares_none() -> None:
    wrong = [
        f"{path.name}: {line.strip()}"
        for path in sorted((ROOT / "jvm" / "src" / "main").rglob("*.scala"))
        for line in path.read_text().splitlines()
        for name in re.findall(r'(?:[=!]= |case |\(|\| )"(\w+)"', line)
        if name in NAMES and re.search(r"==|!=|case |Set\(|contains\(", line)
    ]
    assert not wrong, f"capabilities.json can give a property instead: {wrong}"


def test_the_known_functions_are_registered() -> None:
    known = {value for key, value in vars(known_functions).items() if key.isupper()}
    assert known <= NAMES
