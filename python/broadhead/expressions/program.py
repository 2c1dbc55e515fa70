"""Expressions compiled once for each fragment and evaluated batch by batch, in any thread.

Equal subexpressions become one step, computed at most once a batch; constant ones are computed at
compile time. Conditionals (`functions.branches`) ensure that a branch which Spark would not
evaluate on a row cannot raise for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from broadhead.columns import Batch, Column
from broadhead.errors import EngineLimit, WouldRaise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.expressions.spark_calls import SparkExpressions
    from broadhead.functions.registry import Function
    from broadhead.kernels.interface import Array, Collations, Data, Kernels
    from broadhead.types import DataType


@dataclass(frozen=True, slots=True)
class Services:
    """What expressions use of a run: the JVM's answers, and counters to fill."""

    collations: Collations | None = None
    spark_expressions: SparkExpressions | None = None
    row_counts: dict[int, int] = field(default_factory=dict)


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
    options: Mapping[str, Any]
    services: tuple[str, ...]
    """Options whose values the run has."""
    type: DataType

    def call(self, kernels: Kernels, arguments: Sequence[Column], services: Services) -> Column:
        """The function's result."""
        given = {name: getattr(services, name) for name in self.services}
        return self.function.evaluate(kernels, *arguments, **self.options, **given)


@dataclass(frozen=True, slots=True)
class Counted:
    """The result of step `value`, which counts its rows, or those where `condition` is true."""

    number: int
    value: int
    condition: int | None
    type: DataType


Step = Input | Constant | Apply | Counted


@dataclass(frozen=True, slots=True)
class Program:
    """Expressions over one input, compiled for one kernel.

    Threads may share it: nothing of it changes, and what belongs to a run is given to `evaluate`.
    """

    kernels: Kernels
    steps: Sequence[Step]
    raises: Sequence[bool]
    """Whether the value of each step may raise."""
    only_reached: Sequence[bool]
    """Whether each step has to be computed only for the rows that reach it."""
    outputs: Sequence[int]

    def evaluate(self, batch: Batch, services: Services) -> list[Column]:
        """One Array column for each expression; columns of the batch may be scalars here.

        Raises `WouldRaise` if Spark may raise for a row.
        """
        evaluation = Evaluation(self, batch, services)
        return [evaluation.array(number) for number in self.outputs]


@dataclass(frozen=True, slots=True)
class Evaluator:
    """A program with the services of one run."""

    program: Program
    services: Services

    def evaluate(self, batch: Batch) -> list[Column]:
        """What `Program.evaluate` gives."""
        return self.program.evaluate(batch, self.services)


class Evaluation:
    """The steps of a program computed for one batch, each on first use."""

    def __init__(
        self,
        program: Program,
        batch: Batch,
        services: Services,
        parent: Evaluation | None = None,
        mask: Array | None = None,
    ) -> None:
        self.program = program
        self.kernels = program.kernels
        self._batch = batch
        self._services = services
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
        return Evaluation(self.program, self._batch, self._services, self, mask)

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
        counts = self._services.row_counts
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
            return step.call(self.kernels, arguments, self._services)
        # one row is enough, but no row must raise if there is none
        rows = min(1, self.length)
        arguments = [Column(columns.full(a.data, rows), a.type) for a in arguments]
        result = step.call(self.kernels, arguments, self._services)
        return Column(columns.first(result.data), result.type) if rows else result
