"""Both kernels against the protocols that describe them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from broadhead.kernels import interface
from broadhead.kernels.load import MODULES

INTERFACE = Path(interface.__file__).parent
KERNELS = INTERFACE.parent


def protocols(path: Path) -> dict[str, ast.ClassDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


PROTOCOLS = {
    name: protocol for path in INTERFACE.glob("*.py") for name, protocol in protocols(path).items()
}


def functions(body: list[ast.stmt]) -> dict[str, tuple[list[str], list[str]]]:
    """The names of each function's parameters, then of those that only keywords can give."""
    return {
        node.name: (
            [a.arg for a in (*node.args.posonlyargs, *node.args.args) if a.arg != "self"],
            [a.arg for a in node.args.kwonlyargs],
        )
        for node in body
        if isinstance(node, ast.FunctionDef)
    }


def test_every_protocol_is_a_module() -> None:
    annotated = [n for n in PROTOCOLS["Kernels"].body if isinstance(n, ast.AnnAssign)]
    names = [n.target.id for n in annotated if isinstance(n.target, ast.Name)]
    assert sorted(names) == sorted(MODULES)


@pytest.mark.parametrize("package", ["arrow", "cudf"])
@pytest.mark.parametrize("module", MODULES)
def test_a_module_has_its_protocol(package: str, module: str) -> None:
    # read, not imported: without a GPU the cudf kernels cannot be imported
    tree = ast.parse((KERNELS / package / f"{module}.py").read_text(encoding="utf-8"))
    found = functions(tree.body)
    wanted = functions(PROTOCOLS[module.capitalize()].body)
    assert {name: found.get(name) for name in wanted} == wanted
    assigned = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    fields = [n.target for n in PROTOCOLS[module.capitalize()].body if isinstance(n, ast.AnnAssign)]
    assert {field.id for field in fields if isinstance(field, ast.Name)} <= assigned


@pytest.mark.parametrize("package", ["arrow", "cudf"])
def test_groupings_have_their_protocol(package: str) -> None:
    tree = ast.parse((KERNELS / package / "group.py").read_text(encoding="utf-8"))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    wanted = functions(PROTOCOLS["Grouping"].body)
    complete = [
        node.name
        for node in classes
        if {name: functions(node.body).get(name) for name in wanted} == wanted
    ]
    assert complete, f"no class of {package}/group.py has {list(wanted)}"
