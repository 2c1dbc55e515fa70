"""Nodes that create rows, repeat them or select among them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from broadhead.plan.nodes import Node, Ordinals, PassThrough, chosen
from broadhead.plan.roles import role

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Range(Node):
    """The numbers `start`, `start + step` and so on, `count` of them, in `slices` partitions."""

    operators = ("Range",)

    start: int
    step: int
    count: int
    slices: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalTable(Node):
    """Rows that are part of the plan, in `slices` partitions.

    `data` is an Arrow record batch message in the layout of Spark's `ArrowUtils.toArrowSchema`.
    """

    operators = (
        "LocalTableScan",
        "OneRowRelation",
    )

    data: bytes
    slices: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample(PassThrough):
    """The child's rows whose random number, drawn like Spark's, is in [`lower`, `upper`)."""

    operators = ("Sample",)

    lower: float
    upper: float
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleWithReplacement(PassThrough):
    """The child's rows, each repeated by a number that the JVM draws with Spark's generator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coalesce(PassThrough):
    """The child's rows: the task reads several of Spark's partitions, one after the other."""

    operators = ("Coalesce",)

    @property
    def is_divisible(self) -> bool:
        """Row by row."""
        return self.child.is_divisible

    @property
    def only_reads(self) -> bool:
        """The rows are unchanged."""
        return self.child.only_reads


@dataclass(frozen=True, slots=True, kw_only=True)
class RowColumn:
    """A column whose values follow from the position of a row among those of its task.

    `kind` is `partition`, `id`, or of random values `uniform`, `normal`, `text` and `uuid`; the
    seed of a partition is `seed` plus its number, and a text has `length` characters.
    """

    kind: str
    seed: int = 0
    length: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RowIds(Node):
    """The child's rows with a column for each of `columns`."""

    columns: tuple[RowColumn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expand(Node):
    """A row for each of `projections`, of each row of the child, in any order."""

    operators = ("Expand",)

    projections: tuple[tuple[Expression, ...], ...]

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals]:
        """Fewer expressions in each projection."""
        projections = tuple(chosen(projection, required) for projection in self.projections)
        return (
            replace(self, output=chosen(self.output, required), projections=projections),
            required,
        )

    @property
    def is_divisible(self) -> bool:
        """Row by row."""
        return self.child.is_divisible


@dataclass(frozen=True, slots=True)
class Generator:
    """A function that returns any number of rows for one row.

    `name` is Explode, PosExplode, Inline, Stack or ReplicateRows; with `outer`, a row of nulls
    replaces an empty result.
    """

    name: str
    children: tuple[Expression, ...]
    outer: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Generate(Node):
    """The `required` columns of the child's rows, each joined with the rows of `generator`.

    `keep`: the ordinals of the generator's columns that are returned, set by `plan.prune`; None
    means all of them.
    """

    operators = ("Generate",)

    generator: Generator
    required: Ordinals = field(metadata=role(ordinals=True))
    keep: Ordinals | None = None

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals]:
        """Fewer columns of the child and of the generator."""
        width = len(self.required)
        generate = replace(
            self,
            output=chosen(self.output, required),
            required=chosen(self.required, [i for i in required if i < width]),
            keep=tuple(i - width for i in required if i >= width),
        )
        return generate, required

    @property
    def is_divisible(self) -> bool:
        """Row by row."""
        return self.child.is_divisible
