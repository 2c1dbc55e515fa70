"""Expressions compiled once for each fragment and evaluated batch by batch.

Equal subexpressions become one step, computed at most once a batch; constant ones are computed at
compile time. Conditionals (`functions.branches`) ensure that a branch which Spark would not
evaluate on a row cannot raise for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from broadhead.columns import Batch, Column
from broadhead.errors import EngineLimit, Unsupported, WouldRaise
from broadhead.expressions.call_functions import function_of
from broadhead.expressions.nested import in_one_layout
from broadhead.plan.expressions import ROW_COUNTER, BoundReference, Call, Expression, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.expressions.spark_calls import SparkExpressions
    from broadhead.functions.registry import Function
    from broadhead.kernels.interface import Array, Collations, Data, Kernels
    from broadhead.plan.nodes import Zone
    from broadhead.types import DataType


_ZONES = {
    "zone": "time_zone_id",
    "source_zone": "source_zone_id",
    "target_zone": "target_zone_id",
}
"""Options of functions that are time zones, and the fields that name them."""


@dataclass(frozen=True, slots=True)
class Input:
    """Column number `ordinal` of the batch."""

    ordinal: int
    type: DataType


@dataclass(frozen=True, slots=True)
class Constant:
    """The same scalar in every row."""

    column: Column
    key: object
    """Identity of a constant: scalars of a library need not be hashable."""


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of the results of earlier steps."""

    function: Function
    arguments: tuple[int, ...]
    options: tuple[tuple[str, Any], ...]
    type: DataType


@dataclass(frozen=True, slots=True)
class Counted:
    """The result of step `value`, which counts its rows, or those where `condition` is true."""

    number: int
    value: int
    condition: int | None
    type: DataType


Step = Input | Constant | Apply | Counted


class Program:
    """Expressions over one input, compiled for one kernel."""

    def __init__(
        self,
        kernels: Kernels,
        expressions: Sequence[Expression],
        zones: Mapping[str, Zone],
        collations: Collations | None = None,
        spark_expressions: SparkExpressions | None = None,
        row_counts: dict[int, int] | None = None,
    ) -> None:
        self.kernels = kernels
        self.row_counts = {} if row_counts is None else row_counts
        self.steps: list[Step] = []
        self.raises: list[bool] = []
        self.only_reached: list[bool] = []
        self._zones = zones
        self._services = {"collations": collations, "spark_expressions": spark_expressions}
        self._numbers: dict[object, int] = {}
        self._outputs = [self._compile(expression) for expression in expressions]

    def evaluate(self, batch: Batch) -> list[Column]:
        """One Array column for each expression; columns of the batch may be scalars here.

        Raises `WouldRaise` if Spark may raise for a row.
        """
        evaluation = Evaluation(self, batch)
        return [evaluation.array(number) for number in self._outputs]

    def _compile(self, expression: Expression) -> int:
        match expression:
            case BoundReference(ordinal, data_type):
                return self._number(("input", ordinal), Input(ordinal, data_type), raises=False)
            case Literal(value, data_type):
                return self._constant(
                    self.kernels.columns.scalar(value, data_type), data_type, expression
                )
            case Call():
                return self._compile_call(expression)

    def _compile_call(self, call: Call) -> int:
        if call.name == ROW_COUNTER:
            return self._compile_counter(call)
        call, function = _prepared(call)
        arguments = tuple(self._compile(child) for child in call.children)
        step = Apply(function, arguments, self._options(call, function), call.type)
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
        value, *condition = (self._compile(child) for child in call.children)
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
        columns = self.kernels.columns
        arguments = []
        for number in step.arguments:
            constant = self.steps[number]
            assert isinstance(constant, Constant)
            arguments.append(Column(columns.full(constant.column.data, 1), constant.column.type))
        try:
            result = step.function.evaluate(self.kernels, *arguments, **dict(step.options))
        except (WouldRaise, EngineLimit):
            return None
        return columns.first(result.data)

    def _options(self, call: Call, function: Function) -> tuple[tuple[str, Any], ...]:
        available: dict[str, Any] = {**dict(call.fields), **self._services, "returns": call.type}
        for option in _ZONES.keys() & function.options:
            name = available[_ZONES[option]]
            available[option] = self._zones.get(name) if name is not None else None
        return tuple((name, available[name]) for name in sorted(function.options))


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


class Evaluation:
    """The steps of a program computed for one batch, each on first use."""

    def __init__(
        self,
        program: Program,
        batch: Batch,
        parent: Evaluation | None = None,
        mask: Array | None = None,
    ) -> None:
        self.program = program
        self.kernels = program.kernels
        self._batch = batch
        self._parent = parent
        self._mask = mask
        self._results: dict[int, Column] = {}
        self._length: int | None = None if parent is not None else batch.length

    @property
    def length(self) -> int:
        """Number of rows."""
        if self._length is None:
            (kept,) = self.kernels.columns.filter([self._mask], self._mask)
            self._length = self.kernels.columns.length(kept)
        return self._length

    def get(self, number: int) -> Column:
        """The step's result: an Array column, or a scalar one for a constant."""
        result = self._results.get(number)
        if result is None:
            result = self._results[number] = self._compute(number)
        return result

    def array(self, number: int) -> Column:
        """The step's result as an Array column."""
        column = self.get(number)
        return Column(self.kernels.columns.full(column.data, self.length), column.type)

    def type_of(self, number: int) -> DataType:
        """The type of the step's result."""
        step = self.program.steps[number]
        return step.column.type if isinstance(step, Constant) else step.type

    def restrict(self, mask: Array) -> Evaluation:
        """The same steps for the rows where `mask` is true."""
        return Evaluation(self.program, self._batch, self, mask)

    def _compute(self, number: int) -> Column:
        step = self.program.steps[number]
        match step:
            case Constant(column):
                return column
            case Input(ordinal, data_type):
                if self._parent is None:
                    return self._batch.columns[ordinal]
                return self._restricted(self._parent.get(number).data, data_type)
            case Counted():
                return self._counted(step)
            case Apply():
                known = self._parent._results.get(number) if self._parent is not None else None
                if known is not None:
                    return self._restricted(known.data, known.type)
                return self._apply(step)

    def _counted(self, step: Counted) -> Column:
        rows = self.length
        if step.condition is not None:
            chosen = self.kernels.logic.is_true(self.array(step.condition).data)
            (kept,) = self.kernels.columns.filter([chosen], chosen)
            rows = self.kernels.columns.length(kept)
        counts = self.program.row_counts
        counts[step.number] = counts.get(step.number, 0) + rows
        return self.get(step.value)

    def _restricted(self, data: Data, data_type: DataType) -> Column:
        if self.kernels.columns.is_scalar(data):
            return Column(data, data_type)
        (kept,) = self.kernels.columns.filter([data], self._mask)
        return Column(kept, data_type)

    def _apply(self, step: Apply) -> Column:
        conditional = step.function.by_branch
        if conditional is None:
            return self._call(step)
        if any(self.program.only_reached[n] for n in step.arguments[1:]):
            # Spark evaluates a row much more slowly than rows are selected, counters count, and
            # large values take longer than that, too.
            return Column(conditional(self, step.arguments), step.type)
        if not any(self.program.raises[n] for n in step.arguments):
            return self._call(step)
        try:
            return self._call(step)
        except (WouldRaise, EngineLimit):
            # A row that does not reach the branch may be the cause: only now select the rows.
            return Column(conditional(self, step.arguments), step.type)

    def _call(self, step: Apply) -> Column:
        arguments = [self.get(number) for number in step.arguments]
        columns = self.kernels.columns
        if not all(columns.is_scalar(argument.data) for argument in arguments):
            return step.function.evaluate(self.kernels, *arguments, **dict(step.options))
        # one row is enough, but no row must raise if there is none
        rows = min(1, self.length)
        arguments = [Column(columns.full(a.data, rows), a.type) for a in arguments]
        result = step.function.evaluate(self.kernels, *arguments, **dict(step.options))
        return Column(columns.first(result.data), result.type) if rows else result
