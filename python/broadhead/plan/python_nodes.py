"""Nodes that call the user's Python functions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from broadhead.plan.nodes import Node, Ordinals, Project, chosen
from broadhead.plan.roles import LEFT, RIGHT, Compared, Over, role

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broadhead.plan.expressions import Expression
    from broadhead.plan.sort_order import SortOrder
    from broadhead.plan.windows import Frame
    from broadhead.types import DataType


SQL_BATCHED_UDF = 100
"""PySpark's number for functions of the values of one row."""


@dataclass(frozen=True, slots=True)
class PythonArgument:
    """The input number `input` as an argument, by position if it has no name."""

    name: str | None
    input: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonCall:
    """A chain of the user's functions, each of which takes the result of the one before it.

    `commands` are PySpark's pickles of a function and its return type.
    """

    name: str
    commands: tuple[bytes, ...]
    arguments: tuple[PythonArgument, ...]
    type: DataType
    deterministic: bool
    result_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonCalls:
    """The functions of one operator, which PySpark's worker calls together.

    `eval_type` is one of PySpark's `PythonEvalType`, `profiler` is Spark's `perf`, `memory` or
    None, `conf` has the settings that PySpark's worker reads, `input_schema` is the struct of the
    inputs in Spark's JSON form.
    """

    eval_type: int
    calls: tuple[PythonCall, ...]
    input_schema: str
    profiler: str | None
    conf: Mapping[str, str]

    @property
    def see_batches(self) -> bool:
        """Whether functions see the limits of batches; those of single rows do not."""
        return self.eval_type != SQL_BATCHED_UDF

    @property
    def batch_rows(self) -> int | None:
        """The largest number of rows in a batch for a function; None for any number."""
        rows = int(self.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch", "10000"))
        return rows if rows > 0 else None


@dataclass(frozen=True, slots=True)
class DeviceCalls:
    """How functions are called on a GPU.

    `whole_batches`: every result depends on its own row alone, so batches may have any length.
    `dense` are the numbers of inputs whose dtype would differ in such batches if they had nulls.
    `required`: the functions take objects of cuDF or CuPy, which are only on a GPU.
    """

    whole_batches: bool = False
    dense: tuple[int, ...] = ()
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonNode(Node):
    """The base of the nodes that call functions.

    `inputs` are the expressions from which arguments are taken, `input_names` the names of the
    columns of rows that a function gets. `device` says how functions are called on a GPU; None
    means that they are called on the CPU. The worker sets it.
    """

    functions: PythonCalls
    device: DeviceCalls | None = None

    @property
    def may_use_gpu(self) -> bool:
        """Whether the functions take columns in the memory of a GPU."""
        return self.device is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonRows(Node):
    """Rows of a data frame that Python makes: `createDataFrame(list)`, `rdd.toDF()`.

    The child's only column has the bytes that Spark sends to a worker of the RDD. `command` is
    PySpark's pickle of the functions that make the rows.
    """

    operators = ("ExistingRDD",)

    command: bytes
    elements: Ordinals = field(default=(0,), metadata=role(ordinals=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalPython(PythonNode):
    """The child's columns, and one column for each call, which returns a value for each row.

    `keep`: the ordinals of the child's output that are returned, set by `plan.prune`; None means
    all of them. All functions are called, since they may have side effects.
    """

    operators = (
        "ArrowEvalPython",
        "BatchEvalPython",
    )

    inputs: tuple[Expression, ...]
    keep: Ordinals | None = field(default=None, metadata=role(ordinals=True))

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals]:
        """Fewer columns of the child."""
        width = len(self.child.output)
        keep = tuple(ordinal for ordinal in required if ordinal < width)
        given = (*keep, *range(width, len(self.output)))
        return replace(self, output=chosen(self.output, given), keep=keep), given


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedProject(Project):
    """A projection instead of an `EvalPython`; `traced` is the number of its calls."""

    traced: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFunction:
    """What a table function is told besides its call.

    `return_type` is the struct of its rows in Spark's JSON form, `partition_columns` are the
    ordinals of the columns of its table argument that begin a new partition where they change,
    `tables` says for each argument whether it is a table, `analyze_result` is PySpark's pickle of
    what the function's `analyze` has returned.
    """

    return_type: str
    partition_columns: tuple[int, ...]
    tables: tuple[bool, ...]
    analyze_result: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalPythonTable(PythonNode):
    """The `required` columns of the child's rows, each joined with the rows of a table function.

    The rows that the function returns after its last input row are joined with this row.
    """

    operators = (
        "ArrowEvalPythonUDTF",
        "BatchEvalPythonUDTF",
    )

    inputs: tuple[Expression, ...]
    required: Ordinals = field(metadata=role(ordinals=True))
    table: TableFunction

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals]:
        """Fewer columns of the child."""
        width = len(self.required)
        wanted = tuple(ordinal for ordinal in required if ordinal < width)
        given = (*wanted, *range(width, len(self.output)))
        output = chosen(self.output, given)
        return replace(self, output=output, required=chosen(self.required, wanted)), given


@dataclass(frozen=True, slots=True, kw_only=True)
class MapInPython(PythonNode):
    """The rows that the only function makes of an iterator over the task's batches."""

    operators = (
        "MapInPandas",
        "MapInArrow",
    )

    inputs: tuple[Expression, ...]
    input_names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlatMapGroups(PythonNode):
    """The rows that the only function makes of each group.

    The child's rows are sorted by `grouping`. The arguments of the call are PySpark's offsets of
    the keys and values among the inputs.
    """

    operators = (
        "FlatMapGroupsInPandas",
        "FlatMapGroupsInArrow",
    )

    grouping: tuple[Expression, ...] = field(metadata=role(compared=Compared.EQUAL))
    inputs: tuple[Expression, ...]
    input_names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlatMapCoGroups(PythonNode):
    """The rows that the only function makes of the rows of both sides with equal keys.

    Both children are sorted by their keys. The fields are those of `FlatMapGroups`, of each side.
    """

    operators = (
        "FlatMapCoGroupsInPandas",
        "FlatMapCoGroupsInArrow",
    )

    left_grouping: tuple[Expression, ...] = field(
        metadata=role(over=LEFT, compared=Compared.ORDERED)
    )
    right_grouping: tuple[Expression, ...] = field(
        metadata=role(over=RIGHT, compared=Compared.ORDERED)
    )
    left_inputs: tuple[Expression, ...] = field(metadata=role(over=LEFT))
    right_inputs: tuple[Expression, ...] = field(metadata=role(over=RIGHT))
    input_names: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregatePython(PythonNode):
    """One row for each group, with one value of each call.

    The child's rows are sorted by `grouping`. `results` are over the grouping values, then the
    values of the calls.
    """

    operators = (
        "ArrowAggregatePython",
        "AggregateInPandas",
    )

    grouping: tuple[Expression, ...] = field(metadata=role(compared=Compared.EQUAL))
    inputs: tuple[Expression, ...]
    results: tuple[Expression, ...] = field(metadata=role(over=Over.OTHER))


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowPython(PythonNode):
    """The child's columns, and one column for each call, which reads the rows of a frame.

    The child's rows are sorted by `partition`, then by `order`; `frames` has one frame a call.
    """

    operators = (
        "ArrowWindowPython",
        "WindowInPandas",
    )

    partition: tuple[Expression, ...] = field(metadata=role(compared=Compared.EQUAL))
    order: tuple[SortOrder, ...] = field(metadata=role(compared=Compared.ORDERED))
    inputs: tuple[Expression, ...]
    frames: tuple[Frame, ...]
