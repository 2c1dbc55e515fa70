"""The fragments that this process has compiled, for all tasks that send the same text."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from broadhead.engine.compiled_fragment import compile_fragment
from broadhead.plan.decode import decode_fragment
from broadhead.plan.python_nodes import PythonNode
from broadhead.plan.traversal import find

if TYPE_CHECKING:
    from broadhead.engine.compiled_fragment import CompiledFragment
    from broadhead.plan.nodes import Fragment

MOST_FRAGMENTS = 64
MOST_CHARACTERS = 32 << 20
"""Characters of all texts together; local tables and the user's functions are part of a text."""


class FragmentCache:
    """Compiled fragments by their texts, least recently used ones removed first.

    Safe to use from several threads: one compiles a fragment while others wait for it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[str, _KnownFragment] = OrderedDict()

    def get(self, text: str, *, device_functions: bool) -> CompiledFragment:
        """The fragment `text` (JSON), with its functions placed.

        `device_functions`: whether the task was planned for a GPU with its functions.
        """
        with self._lock:
            known = self._known.setdefault(text, _KnownFragment())
            self._known.move_to_end(text)
            self._shrink()
        return known.compiled(text, device_functions=device_functions)

    def _shrink(self) -> None:
        size = sum(map(len, self._known))
        while len(self._known) > MOST_FRAGMENTS or (
            size > MOST_CHARACTERS and len(self._known) > 1
        ):
            text, _ = self._known.popitem(last=False)
            size -= len(text)


class _KnownFragment:
    """A fragment; one with functions is compiled again when these get other targets."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._compiled: CompiledFragment | None = None
        self._with_functions: Fragment | None = None
        self._placed_by: tuple[bool, int] | None = None

    def compiled(self, text: str, *, device_functions: bool) -> CompiledFragment:
        with self._lock:
            if self._compiled is None:
                fragment = decode_fragment(text)
                if any(find(fragment.root, PythonNode)):
                    self._with_functions = fragment
                else:
                    self._compiled = compile_fragment(fragment)
            if self._with_functions is not None:
                self._choose_targets(self._with_functions, device_functions=device_functions)
            assert self._compiled is not None
            return self._compiled

    def _choose_targets(self, fragment: Fragment, *, device_functions: bool) -> None:
        from broadhead.worker.user_functions.placed_functions import learnt, with_placed_functions

        placed_by = (device_functions, learnt())
        if placed_by != self._placed_by:
            placed = with_placed_functions(fragment, device_functions=device_functions)
            self._compiled, self._placed_by = compile_fragment(placed), placed_by


FRAGMENTS = FragmentCache()
"""The process's cache."""
