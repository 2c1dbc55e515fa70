"""One call of a function: its instructions, executed on constants and symbols.

The stack has none of the nulls that CPython pushes for calls. So it is the same for all versions of
the bytecode, 3.11 to 3.14.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from broadhead.tracing.bytecode import instructions_of
from broadhead.tracing.refusal import PathRaises, Untraceable
from broadhead.tracing.symbol import Symbol

if TYPE_CHECKING:
    from types import CodeType

    from broadhead.tracing.bytecode import Instruction
    from broadhead.tracing.machine import Machine

UNBOUND = object()


class Frame:
    """The locals, stack and position of one call."""

    def __init__(
        self,
        machine: Machine,
        code: CodeType,
        variables: dict[str, Any],
        global_names: dict[str, Any],
        enclosing: dict[str, Any],
    ) -> None:
        self.machine = machine
        self.code = code
        self.variables = variables
        self.global_names = global_names
        self.enclosing = enclosing
        self.stack: list[Any] = []
        self.keyword_names: tuple[str, ...] = ()
        self.instructions, self.numbers = instructions_of(code)
        self.next = 0

    def run(self) -> Any:
        """The value that the call returns."""
        while True:
            instruction = self.instructions[self.next]
            self.next += 1
            self.machine.count_step()
            name = instruction.name
            if name == "RETURN_VALUE":
                return self.stack.pop()
            if name == "RETURN_CONST":
                return instruction.argument
            handler = HANDLERS.get(name)
            if handler is None:
                raise Untraceable(f"it uses the instruction {name}")
            handler(self, instruction)
            if self.stack and isinstance(self.stack[-1], Symbol):
                self.machine.symbols.append(self.stack[-1])

    def pop(self, count: int) -> list[Any]:
        """The topmost values, in the order in which they were pushed."""
        if count == 0:
            return []
        values = self.stack[-count:]
        del self.stack[-count:]
        return values

    def jump(self, instruction: Instruction) -> None:
        """Goes on at the instruction's target."""
        self.next = self.numbers[instruction.argument]

    def local(self, name: str) -> Any:
        """The value of a local variable."""
        value = self.variables.get(name, UNBOUND)
        if value is UNBOUND:
            raise PathRaises
        return value


Handler = Callable[[Frame, "Instruction"], None]
HANDLERS: dict[str, Handler] = {}


def handles(*names: str) -> Callable[[Handler], Handler]:
    """Registers the function for instructions."""

    def register(handler: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(names, handler))
        return handler

    return register


@handles("LOAD_CONST", "LOAD_SMALL_INT")
def _constant(frame: Frame, instruction: Instruction) -> None:
    frame.stack.append(instruction.argument)


@handles("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW")
def _load(frame: Frame, instruction: Instruction) -> None:
    frame.stack.append(frame.local(instruction.argument))


@handles("LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW")
def _load_two(frame: Frame, instruction: Instruction) -> None:
    frame.stack += [frame.local(name) for name in instruction.argument]


@handles("STORE_FAST")
def _store(frame: Frame, instruction: Instruction) -> None:
    frame.variables[instruction.argument] = frame.stack.pop()


@handles("STORE_FAST_LOAD_FAST")
def _store_and_load(frame: Frame, instruction: Instruction) -> None:
    stored, loaded = instruction.argument
    frame.variables[stored] = frame.stack.pop()
    frame.stack.append(frame.local(loaded))


@handles("STORE_FAST_STORE_FAST")
def _store_two(frame: Frame, instruction: Instruction) -> None:
    for name in instruction.argument:
        frame.variables[name] = frame.stack.pop()


@handles("DELETE_FAST")
def _delete(frame: Frame, instruction: Instruction) -> None:
    frame.local(instruction.argument)
    del frame.variables[instruction.argument]


@handles("LOAD_DEREF")
def _load_enclosing(frame: Frame, instruction: Instruction) -> None:
    frame.stack.append(frame.machine.enclosing_value(frame.enclosing, instruction.argument))


@handles("LOAD_GLOBAL", "LOAD_NAME")
def _load_global(frame: Frame, instruction: Instruction) -> None:
    frame.stack.append(frame.machine.global_value(frame.global_names, instruction.argument))


@handles("LOAD_ASSERTION_ERROR")
def _load_assertion_error(frame: Frame, instruction: Instruction) -> None:
    """An assertion has failed; its message does not matter."""
    raise PathRaises


@handles("LOAD_ATTR", "LOAD_METHOD")
def _attribute(frame: Frame, instruction: Instruction) -> None:
    owner = frame.stack.pop()
    frame.stack.append(frame.machine.attribute(owner, instruction.argument))


@handles("IMPORT_NAME")
def _import(frame: Frame, instruction: Instruction) -> None:
    level, names = frame.pop(2)
    frame.stack.append(frame.machine.imported(instruction.argument, level, names))


@handles("IMPORT_FROM")
def _import_from(frame: Frame, instruction: Instruction) -> None:
    frame.stack.append(frame.machine.attribute(frame.stack[-1], instruction.argument))


@handles("POP_TOP", "POP_ITER")
def _pop(frame: Frame, instruction: Instruction) -> None:
    frame.stack.pop()


@handles("COPY")
def _copy(frame: Frame, instruction: Instruction) -> None:
    frame.stack.append(frame.stack[-instruction.raw])


@handles("SWAP")
def _swap(frame: Frame, instruction: Instruction) -> None:
    stack, depth = frame.stack, instruction.raw
    stack[-1], stack[-depth] = stack[-depth], stack[-1]


@handles("TO_BOOL")
def _to_bool(frame: Frame, instruction: Instruction) -> None:
    """Nothing: each jump and `not` finds the truth of its operand itself."""


@handles("BINARY_OP")
def _binary(frame: Frame, instruction: Instruction) -> None:
    left, right = frame.pop(2)
    operator = instruction.shown
    if operator == "[]":
        frame.stack.append(frame.machine.item(left, right))
        return
    # Otherwise a list of an enclosing function would change; no symbol does.
    operator = operator.removesuffix("=")
    frame.stack.append(frame.machine.binary(operator, left, right))


@handles("BINARY_SUBSCR")
def _item(frame: Frame, instruction: Instruction) -> None:
    frame.stack.append(frame.machine.item(*frame.pop(2)))


@handles("BINARY_SLICE")
def _slice(frame: Frame, instruction: Instruction) -> None:
    owner, start, stop = frame.pop(3)
    frame.stack.append(frame.machine.item(owner, slice(start, stop)))


@handles("BUILD_SLICE")
def _build_slice(frame: Frame, instruction: Instruction) -> None:
    frame.stack.append(slice(*frame.pop(instruction.raw)))


@handles("COMPARE_OP")
def _compare(frame: Frame, instruction: Instruction) -> None:
    frame.stack.append(frame.machine.compare(instruction.argument.strip(), *frame.pop(2)))


@handles("IS_OP")
def _is(frame: Frame, instruction: Instruction) -> None:
    result = frame.machine.is_same(*frame.pop(2))
    frame.stack.append(result != bool(instruction.raw))


@handles("CONTAINS_OP")
def _contains(frame: Frame, instruction: Instruction) -> None:
    member, container = frame.pop(2)
    found = frame.machine.contains(container, member)
    frame.stack.append(frame.machine.negated(found) if instruction.raw else found)


@handles("UNARY_NOT")
def _not(frame: Frame, instruction: Instruction) -> None:
    frame.stack.append(frame.machine.negated(frame.stack.pop()))


@handles("UNARY_NEGATIVE", "UNARY_POSITIVE", "UNARY_INVERT")
def _unary(frame: Frame, instruction: Instruction) -> None:
    operator = {"UNARY_NEGATIVE": "-", "UNARY_POSITIVE": "+", "UNARY_INVERT": "~"}
    value = frame.stack.pop()
    frame.stack.append(frame.machine.unary(operator[instruction.name], value))


@handles("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT")
def _jump(frame: Frame, instruction: Instruction) -> None:
    frame.jump(instruction)


@handles(
    *(
        f"POP_JUMP_{way}IF_{truth}"
        for way in ("", "FORWARD_", "BACKWARD_")
        for truth in ("TRUE", "FALSE")
    )
)
def _jump_if(frame: Frame, instruction: Instruction) -> None:
    truth = frame.machine.truth(frame.stack.pop())
    if truth == instruction.name.endswith("TRUE"):
        frame.jump(instruction)


@handles(
    *(
        f"POP_JUMP_{way}IF_{none}NONE"
        for way in ("", "FORWARD_", "BACKWARD_")
        for none in ("", "NOT_")
    )
)
def _jump_if_none(frame: Frame, instruction: Instruction) -> None:
    is_none = frame.machine.is_same(frame.stack.pop(), None)
    if is_none != instruction.name.endswith("NOT_NONE"):
        frame.jump(instruction)


@handles("JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP")
def _jump_or_pop(frame: Frame, instruction: Instruction) -> None:
    truth = frame.machine.truth(frame.stack[-1])
    if truth == ("TRUE" in instruction.name):
        frame.jump(instruction)
    else:
        frame.stack.pop()


@handles("RAISE_VARARGS", "RERAISE")
def _raise(frame: Frame, instruction: Instruction) -> None:
    raise PathRaises
