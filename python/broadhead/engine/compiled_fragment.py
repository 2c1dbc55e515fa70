"""A fragment made ready to run: what its tasks and streams have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from broadhead.expressions.programs import Programs
from broadhead.operators.divide import is_divisible
from broadhead.operators.join.key_filters import key_filters
from broadhead.plan.nested_keys import bind_nested_keys
from broadhead.plan.prune import prune
from broadhead.plan.python_nodes import PythonNode, PythonRows
from broadhead.plan.traversal import walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broadhead.operators.join.key_filters import KeyFilter
    from broadhead.plan.nodes import Fragment, Node, Settings


TEXTS = frozenset({"string", "binary", "variant"})


@dataclass(frozen=True, slots=True)
class CompiledFragment:
    """A fragment for any number of runs, in several threads at the same time.

    `root` reads only the columns that are needed, and compares keys that the kernels can compare;
    `fragment` has all columns of its sources, as the plugin sends them. `key_filters` are those of
    the rows that nodes return, by the nodes' ids. `is_divisible`: several runs may share its files.
    """

    fragment: Fragment
    root: Node
    key_filters: Mapping[int, tuple[KeyFilter, ...]]
    programs: Programs
    is_divisible: bool
    calls_functions: bool
    """Whether it calls the user's Python functions."""
    has_texts: bool
    """Whether a column of any node has values of any length."""

    @property
    def settings(self) -> Settings:
        """The fragment's settings."""
        return self.fragment.settings

    def with_settings(self, settings: Settings) -> CompiledFragment:
        """The same fragment with other settings; the programs are shared."""
        return replace(self, fragment=replace(self.fragment, settings=settings))


def compile_fragment(fragment: Fragment) -> CompiledFragment:
    """The fragment, pruned, with keys bound and pushed; programs follow when runs need them."""
    root = bind_nested_keys(prune(fragment)).root
    return CompiledFragment(
        fragment,
        root,
        key_filters(root),
        Programs(fragment.zones),
        is_divisible=is_divisible(root),
        calls_functions=any(isinstance(node, PythonNode | PythonRows) for node in walk(root)),
        has_texts=any(_has_text(node) for node in walk(root)),
    )


def _has_text(node: Node) -> bool:
    return any(
        attribute.type.is_nested or attribute.type.name in TEXTS for attribute in node.output
    )
