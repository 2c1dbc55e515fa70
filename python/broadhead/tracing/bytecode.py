"""The instructions of a function, and what its code object says about it."""

from __future__ import annotations

import dis
import inspect
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from broadhead.tracing.refusal import Untraceable

if TYPE_CHECKING:
    from types import CodeType

NO_GENERATORS = (
    inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
    | inspect.CO_ITERABLE_COROUTINE
)
IGNORED = frozenset(
    {
        "RESUME",
        "NOP",
        "CACHE",
        "PRECALL",
        "EXTENDED_ARG",
        "COPY_FREE_VARS",
        "PUSH_NULL",
        "NOT_TAKEN",
    }
)
"""Instructions without an effect on the interpreter's stack, which has no nulls."""
REFUSED = {
    "STORE_GLOBAL": "it assigns to the global {}",
    "DELETE_GLOBAL": "it deletes the global {}",
    "STORE_ATTR": "it assigns to the attribute {}",
    "DELETE_ATTR": "it deletes the attribute {}",
    "STORE_SUBSCR": "it assigns to an item",
    "STORE_SLICE": "it assigns to an item",
    "DELETE_SUBSCR": "it deletes an item",
    "MAKE_FUNCTION": "it makes a function",
    "LOAD_BUILD_CLASS": "it makes a class",
    "STORE_DEREF": "it assigns to the variable {} of an enclosing function",
    "YIELD_VALUE": "it is a generator",
}


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: its name, its raw argument, the argument's meaning."""

    name: str
    raw: int
    argument: Any
    shown: str


@lru_cache(maxsize=256)
def instructions_of(code: CodeType) -> tuple[tuple[Instruction, ...], dict[int, int]]:
    """The instructions, and the number of each by its offset.

    Raises `Untraceable` for one that a traced function must not have on any path.
    """
    if code.co_flags & NO_GENERATORS:
        raise Untraceable("it is a generator or a coroutine")
    if code.co_exceptiontable:
        raise Untraceable("it handles exceptions, or uses with or a comprehension")
    instructions: list[Instruction] = []
    numbers: dict[int, int] = {}
    for item in dis.get_instructions(code):
        numbers[item.offset] = len(instructions)
        if item.opname in IGNORED:
            continue
        if item.opname in REFUSED:
            raise Untraceable(REFUSED[item.opname].format(item.argval))
        instructions.append(
            Instruction(item.opname, item.arg or 0, item.argval, item.argrepr.strip())
        )
    return tuple(instructions), numbers
