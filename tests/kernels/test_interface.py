"""Both kernels against the protocols that describe them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from broadhead.kernels import interface
from broadhead.kernels.load import MODULES

INTERFACE = Path(interface.__file__).parent
KERNELS = INTERFACE.parent
PROTOCOLS = {
    node.name: node
    for path in INTERFACE.glob("*.py")
    for node in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(node, ast.ClassDef)
}


def protocol(module: str) -> ast.ClassDef:
    return PROTOCOLS[module.capitalize()]


def parameters(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    return [name for name in names if name != "self"] + [
        f"{argument.arg}=" for argument in arguments.kwonlyargs
    ]


def functions(body: list[ast.stmt]) -> dict[str, list[str]]:
    return {node.name: parameters(node) for node in body if isinstance(node, ast.FunctionDef)}


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
    wanted = functions(protocol(module).body)
    assert {name: found.get(name) for name in wanted} == wanted
    assigned = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    fields = [n.target for n in protocol(module).body if isinstance(n, ast.AnnAssign)]
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
