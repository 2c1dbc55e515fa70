"""The instructions of calls, containers, loops and f-strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.tracing.frame import handles
from broadhead.tracing.refusal import PathRaises, Untraceable
from broadhead.tracing.symbol import Symbol

if TYPE_CHECKING:
    from broadhead.tracing.bytecode import Instruction
    from broadhead.tracing.frame import Frame


class Items:
    """An iterator over values that are known before the rows are."""

    def __init__(self, values: Any) -> None:
        self.values = list(values)
        self.next = 0


@handles("KW_NAMES")
def _keyword_names(frame: Frame, instruction: Instruction) -> None:
    frame.keyword_names = frame.code.co_consts[instruction.raw]


@handles("CALL")
def _call(frame: Frame, instruction: Instruction) -> None:
    names, frame.keyword_names = frame.keyword_names, ()
    _call_with(frame, instruction.raw, names)


@handles("CALL_KW")
def _call_with_keywords(frame: Frame, instruction: Instruction) -> None:
    names = frame.stack.pop()
    _call_with(frame, instruction.raw, names)


def _call_with(frame: Frame, count: int, names: tuple[str, ...]) -> None:
    arguments = frame.pop(count)
    function = frame.stack.pop()
    positional = len(arguments) - len(names)
    keywords = dict(zip(names, arguments[positional:], strict=True))
    frame.stack.append(frame.machine.call(function, arguments[:positional], keywords))


@handles("CALL_FUNCTION_EX")
def _call_unpacked(frame: Frame, instruction: Instruction) -> None:
    # From 3.14 on there is always a dict, or None instead of the null.
    has_keywords = bool(instruction.raw & 1) or isinstance(frame.stack[-1], dict)
    keywords = frame.stack.pop() if has_keywords else {}
    arguments = frame.stack.pop()
    function = frame.stack.pop()
    if not isinstance(arguments, tuple | list) or not isinstance(keywords, dict):
        raise Untraceable("it unpacks the arguments of a call from a value")
    frame.stack.append(frame.machine.call(function, list(arguments), keywords))


@handles("CALL_INTRINSIC_1")
def _intrinsic(frame: Frame, instruction: Instruction) -> None:
    value = frame.stack.pop()
    if instruction.raw == 5:
        frame.stack.append(frame.machine.unary("+", value))
    elif instruction.raw == 6:
        frame.stack.append(tuple(value))
    else:
        raise Untraceable("it uses a rare instruction")


@handles("BUILD_TUPLE")
def _tuple(frame: Frame, instruction: Instruction) -> None:
    frame.stack.append(tuple(frame.pop(instruction.raw)))


@handles("BUILD_LIST")
def _list(frame: Frame, instruction: Instruction) -> None:
    frame.stack.append(frame.pop(instruction.raw))


@handles("BUILD_SET")
def _set(frame: Frame, instruction: Instruction) -> None:
    members = frame.pop(instruction.raw)
    if any(isinstance(member, Symbol) for member in members):
        raise Untraceable("it makes a set of values")
    frame.stack.append(set(members))


@handles("LIST_EXTEND", "SET_UPDATE")
def _extend(frame: Frame, instruction: Instruction) -> None:
    values = frame.stack.pop()
    if not isinstance(values, tuple | list | set | frozenset | str):
        raise Untraceable("it unpacks a value")
    container = frame.stack[-instruction.raw]
    # A new object: the old one is no argument, but a constant of the code stays what it is.
    frame.stack[-instruction.raw] = (
        [*container, *values] if isinstance(container, list) else {*container, *values}
    )


@handles("LIST_APPEND", "SET_ADD", "MAP_ADD")
def _append(frame: Frame, instruction: Instruction) -> None:
    raise Untraceable("it uses a comprehension")


@handles("BUILD_MAP")
def _map(frame: Frame, instruction: Instruction) -> None:
    items = frame.pop(2 * instruction.raw)
    _push_dict(frame, items[::2], items[1::2])


@handles("BUILD_CONST_KEY_MAP")
def _map_of_constant_keys(frame: Frame, instruction: Instruction) -> None:
    keys = frame.stack.pop()
    _push_dict(frame, keys, frame.pop(instruction.raw))


def _push_dict(frame: Frame, keys: Any, values: Any) -> None:
    if any(isinstance(key, Symbol) for key in keys):
        raise Untraceable("it makes a dict with values as keys")
    frame.stack.append(dict(zip(keys, values, strict=True)))


@handles("DICT_MERGE", "DICT_UPDATE")
def _merge(frame: Frame, instruction: Instruction) -> None:
    other = frame.stack.pop()
    if not isinstance(other, dict):
        raise Untraceable("it unpacks a value")
    frame.stack[-instruction.raw] = {**frame.stack[-instruction.raw], **other}


@handles("UNPACK_SEQUENCE")
def _unpack(frame: Frame, instruction: Instruction) -> None:
    values = frame.stack.pop()
    if not isinstance(values, tuple | list | str):
        raise Untraceable("it unpacks a value")
    if len(values) != instruction.raw:
        raise PathRaises
    frame.stack += reversed(values)


@handles("GET_ITER")
def _iterate(frame: Frame, instruction: Instruction) -> None:
    values = frame.stack.pop()
    if not isinstance(values, tuple | list | str | range | dict | zip | enumerate | reversed):
        raise Untraceable("it iterates over a value")
    frame.stack.append(Items(values))


@handles("FOR_ITER")
def _for(frame: Frame, instruction: Instruction) -> None:
    items = frame.stack[-1]
    if items.next < len(items.values):
        frame.stack.append(items.values[items.next])
        items.next += 1
        return
    frame.stack.pop()
    frame.jump(instruction)
    # CPython skips the instructions that would remove the iterator.
    if frame.instructions[frame.next].name == "END_FOR":
        frame.next += 1
        if frame.instructions[frame.next].name in {"POP_TOP", "POP_ITER"}:
            frame.next += 1


@handles("END_FOR")
def _end_for(frame: Frame, instruction: Instruction) -> None:
    """Reached only by the jump of FOR_ITER, which skips it."""


@handles("FORMAT_VALUE")
def _format_value(frame: Frame, instruction: Instruction) -> None:
    if instruction.raw & 0x04:
        raise Untraceable("it uses a format in an f-string")
    _push_text(frame, frame.stack.pop(), conversion=instruction.raw & 0x03)


@handles("CONVERT_VALUE")
def _convert_value(frame: Frame, instruction: Instruction) -> None:
    _push_text(frame, frame.stack.pop(), conversion=instruction.raw)


@handles("FORMAT_SIMPLE")
def _format(frame: Frame, instruction: Instruction) -> None:
    _push_text(frame, frame.stack.pop(), conversion=0)


def _push_text(frame: Frame, value: Any, *, conversion: int) -> None:
    if conversion > 1:
        raise Untraceable("it uses a conversion in an f-string")
    frame.stack.append(frame.machine.formatted(value))


@handles("FORMAT_WITH_SPEC")
def _format_with(frame: Frame, instruction: Instruction) -> None:
    raise Untraceable("it uses a format in an f-string")


@handles("BUILD_STRING")
def _string(frame: Frame, instruction: Instruction) -> None:
    texts = frame.pop(instruction.raw)
    result = texts[0]
    for text in texts[1:]:
        result = frame.machine.binary("+", result, text)
    frame.stack.append(result)
