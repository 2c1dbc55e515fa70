"""The columns that a join reads of each of its inputs, and their use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column
from broadhead.plan import known_functions
from broadhead.plan.expressions import BoundReference, Call, Literal
from broadhead.plan.traversal import rebind, references
from broadhead.types import BOOLEAN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from broadhead.expressions.program import Evaluator
    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run
    from broadhead.plan.expressions import Expression
    from broadhead.plan.joins import Join
    from broadhead.plan.nodes import Node
    from broadhead.types import DataType


@dataclass(frozen=True, slots=True)
class Side:
    """An input reduced to the columns that the join reads; ordinals are those of the reduced input.

    `keys` are compared, `kept` are returned, `tested` are read by the condition.
    """

    program: Evaluator
    types: tuple[DataType, ...]
    keys: tuple[int, ...]
    kept: tuple[int, ...]
    tested: tuple[int, ...]

    def reduce(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """The batches with the side's columns only, without empty ones."""
        for batch in batches:
            if batch.length:
                yield Batch(tuple(self.program.evaluate(batch)), batch.length)

    def key_data(self, batch: Batch) -> list[Array]:
        """The keys of a reduced batch."""
        return [batch.columns[ordinal].data for ordinal in self.keys]


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """A join as a build side, which is kept, and a stream (probe) side, which is read in batches.

    `keeps_stream` and `keeps_build`: unmatched rows are returned with nulls for the other side.
    `tests`: none for joins that return pairs of rows; otherwise the returned rows of the left side
    (the stream side unless `tests_build`): `matched`, `unmatched` or `flagged` rows.
    `values_differ`: the condition is that the one tested column of each side has different values.
    """

    run: Run
    node: Join
    stream: Side
    build: Side
    stream_is_left: bool
    keeps_stream: bool
    keeps_build: bool
    tests: str | None
    condition: Evaluator | None
    values_differ: bool

    @property
    def tests_build(self) -> bool:
        """Whether a semi, anti or existence join builds its left side."""
        return self.tests is not None and not self.stream_is_left

    @property
    def tests_stream(self) -> bool:
        """Whether a semi, anti or existence join builds its right side."""
        return self.tests is not None and self.stream_is_left

    @property
    def ends_with_empty_build(self) -> bool:
        """Whether the result is empty if the build side has no rows."""
        if self.tests is not None:
            return self.tests_build or self.tests == "matched"
        return not self.keeps_stream


_TESTS = {"LeftSemi": "matched", "LeftAnti": "unmatched", "ExistenceJoin": "flagged"}


def plan_join(
    node: Join,
    left_keys: Sequence[Expression],
    right_keys: Sequence[Expression],
    run: Run,
) -> JoinPlan:
    """The plan of a join with these keys, which may be none."""
    width = len(node.children[0].output)
    read = references([node.condition] if node.condition is not None else [])
    left_read = [i for i in read if i < width]
    right_read = [i - width for i in read if i >= width]
    left = _side(node.children[0], left_keys, node.left_keep, left_read, run)
    right_keep = node.right_keep if node.gives_right else ()
    right = _side(node.children[1], right_keys, right_keep, right_read, run)
    stream_is_left = node.build_side == "right"
    keeps_left = node.join_type in {"LeftOuter", "FullOuter"}
    keeps_right = node.join_type in {"RightOuter", "FullOuter"}
    condition = None
    if node.condition is not None:
        condition = run.compile(
            [rebind(node.condition, {old: new for new, old in enumerate(read)})]
        )
    return JoinPlan(
        run=run,
        node=node,
        stream=left if stream_is_left else right,
        build=right if stream_is_left else left,
        stream_is_left=stream_is_left,
        keeps_stream=keeps_left if stream_is_left else keeps_right,
        keeps_build=keeps_right if stream_is_left else keeps_left,
        tests=_TESTS.get(node.join_type),
        condition=condition,
        values_differ=_is_difference(node.condition) and len(left_read) == len(right_read) == 1,
    )


def _is_difference(condition: Expression | None) -> bool:
    """Whether a condition is `a <> b` of two columns."""
    match condition:
        case Call(
            known_functions.NOT,
            children=(Call(known_functions.EQUAL_TO, children=(first, second)),),
        ):
            return isinstance(first, BoundReference) and isinstance(second, BoundReference)
    return False


def _side(
    child: Node,
    keys: Sequence[Expression],
    kept: Sequence[int] | None,
    tested: Sequence[int],
    run: Run,
) -> Side:
    ordinals: dict[Expression, int] = {}

    def ordinal_of(expression: Expression) -> int:
        return ordinals.setdefault(expression, len(ordinals))

    def columns(ordinals: Iterable[int]) -> tuple[int, ...]:
        return tuple(
            ordinal_of(BoundReference(i, child.output[i].type, child.output[i].nullable))
            for i in ordinals
        )

    given = range(len(child.output)) if kept is None else kept
    kept_ordinals, tested_ordinals = columns(given), columns(tested)
    key_ordinals = tuple(ordinal_of(_plain(key, child)) for key in keys)
    if not ordinals:
        # a batch without columns cannot be written to a file
        ordinal_of(Literal(True, BOOLEAN))
    return Side(
        run.compile(list(ordinals)),
        tuple(expression.type for expression in ordinals),
        key_ordinals,
        kept_ordinals,
        tested_ordinals,
    )


def _plain(key: Expression, child: Node) -> Expression:
    """The key, as a reference to the kept column if it is one."""
    if isinstance(key, BoundReference):
        return BoundReference(key.ordinal, key.type, child.output[key.ordinal].nullable)
    return key


def empty_rows(side: Side, run: Run) -> Batch:
    """No rows of a side."""
    import pyarrow as pa

    from broadhead.arrow_layout import arrow_type

    columns = run.kernels.columns
    return Batch(
        tuple(
            Column(columns.from_arrow(pa.array([], arrow_type(data_type)), data_type), data_type)
            for data_type in side.types
        ),
        0,
    )
