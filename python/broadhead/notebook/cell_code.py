"""The code under `%%broadhead`, run as IPython runs a cell."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from IPython.core.displayhook import DisplayHook

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


def run_cell(shell: InteractiveShell, source: str) -> None:
    """Run code in the user's namespace, and show the value of a last expression without semicolon.

    Its exceptions are raised, other than by `shell.run_cell`: they must end `Run All`.
    """
    __tracebackhide__ = True
    code = shell.transform_cell(source)
    # A line for the magic, so that lines have the numbers that they have in the cell.
    name = shell.compile.cache(f"\n{code}", _number(shell), raw_code=source)
    tree = ast.increment_lineno(shell.compile.ast_parse(code, filename=name))
    body = shell.transform_ast(tree).body
    last = [body.pop()] if body and isinstance(body[-1], ast.Expr) else []
    module = ast.Module(body, type_ignores=[])
    if DisplayHook.semicolon_at_end_of_expression(source):
        module.body += last
        last = []
    exec(shell.compile(module, name, "exec"), shell.user_global_ns, shell.user_ns)
    # Code of the mode `single` passes the values of its expressions to sys.displayhook.
    exec(shell.compile(ast.Interactive(last), name, "single"), shell.user_global_ns, shell.user_ns)


def _number(shell: InteractiveShell) -> int:
    """Give the number of the running cell."""
    return len(shell.user_ns["In"]) - 1
