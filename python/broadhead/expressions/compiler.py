"""The compiler of expressions: constants are folded, and equal subexpressions are one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.columns import Column
from broadhead.errors import EngineLimit, Unsupported, WouldRaise
from broadhead.expressions.call_functions import function_of
from broadhead.expressions.nested import in_one_layout
from broadhead.expressions.program import Apply, Constant, Counted, Input, Program
from broadhead.plan.expressions import ROW_COUNTER, BoundReference, Call, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from broadhead.expressions.program import Services, Step
    from broadhead.functions.registry import Function
    from broadhead.kernels.interface import Kernels
    from broadhead.plan.expressions import Expression
    from broadhead.plan.nodes import Zone
    from broadhead.types import DataType

_SERVICES = frozenset({"collations", "spark_expressions"})
"""Options of functions that belong to a run."""
_ZONES = {
    "zone": "time_zone_id",
    "source_zone": "source_zone_id",
    "target_zone": "target_zone_id",
}
"""Options of functions that are time zones, and the fields that name them."""


def compile_program(
    kernels: Kernels,
    expressions: Iterable[Expression],
    zones: Mapping[str, Zone],
    services: Services,
) -> Program:
    """The program of expressions.

    `services` are those of the run that compiles: a constant that needs them is the same in all.
    """
    compiler = _Compiler(kernels, zones, services)
    outputs = tuple(map(compiler.compile, expressions))
    steps, raises = tuple(compiler.steps), tuple(compiler.raises)
    return Program(kernels, steps, raises, tuple(compiler.only_reached), outputs)


class _Compiler:
    def __init__(self, kernels: Kernels, zones: Mapping[str, Zone], services: Services) -> None:
        self.steps: list[Step] = []
        self.raises: list[bool] = []
        self.only_reached: list[bool] = []
        self._kernels = kernels
        self._zones = zones
        self._services = services
        self._numbers: dict[object, int] = {}

    def compile(self, expression: Expression) -> int:
        """The number of the step whose result is the expression's value."""
        match expression:
            case BoundReference(ordinal, data_type):
                return self._number(("input", ordinal), Input(ordinal, data_type), raises=False)
            case Literal(value, data_type):
                return self._constant(
                    self._kernels.columns.scalar(value, data_type), data_type, expression
                )
            case Call():
                return self._compile_call(expression)

    def _compile_call(self, call: Call) -> int:
        if call.name == ROW_COUNTER:
            return self._compile_counter(call)
        call, function = _prepared(call)
        arguments = tuple(self.compile(child) for child in call.children)
        own = tuple(sorted(_SERVICES & function.options))
        step = Apply(function, arguments, self._options(call, function), own, call.type)
        raises = function.raises or any(self.raises[number] for number in arguments)
        only_reached = function.costly
        only_reached = only_reached or any(self.only_reached[n] for n in arguments)
        key = (call.name, call.type, call.fields, arguments)
        if key not in self._numbers and arguments and self._all_constant(arguments):
            folded = self._fold(step)
            if folded is not None:
                return self._constant(folded, call.type, key)
        return self._number(key, step, raises=raises, only_reached=only_reached)

    def _compile_counter(self, call: Call) -> int:
        value, *condition = (self.compile(child) for child in call.children)
        number = dict(call.fields)["number"]
        step = Counted(number, value, condition[0] if condition else None, call.type)
        return self._number((ROW_COUNTER, number), step, raises=True, only_reached=True)

    def _constant(self, scalar: Any, data_type: DataType, key: object) -> int:
        step = Constant(Column(scalar, data_type), key)
        return self._number(("constant", key), step, raises=False)

    def _number(self, key: object, step: Step, *, raises: bool, only_reached: bool = False) -> int:
        number = self._numbers.setdefault(key, len(self.steps))
        if number == len(self.steps):
            self.steps.append(step)
            self.raises.append(raises)
            self.only_reached.append(only_reached)
        return number

    def _all_constant(self, numbers: tuple[int, ...]) -> bool:
        return all(isinstance(self.steps[number], Constant) for number in numbers)

    def _fold(self, step: Apply) -> Any:
        """The scalar result of the step, or None if evaluating it raises: then the rows decide."""
        columns = self._kernels.columns
        arguments = []
        for number in step.arguments:
            constant = self.steps[number]
            assert isinstance(constant, Constant)
            arguments.append(Column(columns.full(constant.column.data, 1), constant.column.type))
        try:
            result = step.call(self._kernels, arguments, self._services)
        except (WouldRaise, EngineLimit):
            return None
        return columns.first(result.data)

    def _options(self, call: Call, function: Function) -> Mapping[str, Any]:
        available: dict[str, Any] = {**dict(call.fields), "returns": call.type}
        for option in _ZONES.keys() & function.options:
            name = available[_ZONES[option]]
            available[option] = self._zones.get(name) if name is not None else None
        return {name: available[name] for name in function.options - _SERVICES}


def _prepared(call: Call) -> tuple[Call, Function]:
    """The call as the engine computes it, and its function."""
    function = function_of(call)
    if function is not None and function.by_branch is not None:
        call = in_one_layout(call)
    if function is not None and function.rewritten is not None:
        call = function.rewritten(call)
        function = function_of(call)
    if function is None:
        raise Unsupported(f"expression {call.name} is not known to this version of the engine")
    return call, function
