"""Nodes of a fragment, which replace Spark's physical operators."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from broadhead.plan.nested_use import uses_nested
from broadhead.plan.roles import Compared, Over, role
from broadhead.plan.traversal import has_counter, rebind, walk
from broadhead.types import BOOLEAN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Self

    from broadhead.levels import Level
    from broadhead.plan.expressions import Expression
    from broadhead.plan.sort_order import SortOrder
    from broadhead.types import DataType

T = TypeVar("T")

Ordinals: TypeAlias = tuple[int, ...]
"""Ordinals of columns."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """Name, type and nullability of one output column."""

    name: str
    type: DataType
    nullable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """The base of all nodes: `id` is unique in the fragment and identifies the node in metrics.

    The defaults below are correct for any node; a node with more capabilities overrides them.
    `operators` are Spark's operators that it runs, and `level` is how equal their rows are.
    """

    operators: ClassVar[tuple[str, ...]] = ()
    level: ClassVar[Level] = "exact"

    id: int
    output: tuple[Attribute, ...]
    children: tuple[Node, ...]

    @property
    def child(self) -> Node:
        """The only child."""
        (child,) = self.children
        return child

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals] | None:
        """The node without the columns of its output that are not in `required`.

        Also returns the ordinals of the remaining columns, which may be more. The smaller node
        reads only those columns of its children that its fields refer to. None: the node returns
        all of its columns, and reads all of its children's.
        """
        return None

    def with_keys(self, keyed: Self) -> Self:
        """`keyed` is this node with binaries for keys that the kernels cannot compare.

        A node that returns its keys returns their original values.
        """
        return keyed

    @property
    def is_divisible(self) -> bool:
        """Whether runs over parts of the files together return the node's rows, in some order."""
        return False

    @property
    def gives_any_order(self) -> bool:
        """Whether the node's rows may have any order, and a group may be split over rows."""
        return False

    @property
    def is_replicated(self) -> bool:
        """Whether all tasks read the same rows."""
        return False

    @property
    def only_reads(self) -> bool:
        """Whether the node passes rows on unchanged, so that it needs no GPU."""
        return not self.children

    @property
    def may_use_gpu(self) -> bool:
        """Whether the GPU's kernels support everything that the node itself needs."""
        return not uses_nested(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassThrough(Node):
    """A node that returns all columns of its child unchanged."""


def chosen(items: Sequence[T], ordinals: Iterable[int]) -> tuple[T, ...]:
    """The items at these ordinals."""
    return tuple(items[ordinal] for ordinal in ordinals)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileScan(Node):
    """Rows of splits of files in `format`, with the format's own `options`.

    `data_columns` from the files, then `partition_columns` from the paths. `partition_ordinals` are
    the positions of the latter in a split's `partitionValues`. `filters`, whose ordinals refer to
    `filter_columns`, may only be used to skip rows.
    """

    operators = (
        "FileSourceScan",
        "BatchScan",
    )

    format: str
    options: Mapping[str, Any]
    data_columns: tuple[str, ...]
    partition_columns: tuple[str, ...]
    partition_ordinals: tuple[int, ...]
    filters: tuple[Expression, ...] = field(metadata=role(over=Over.OTHER))
    filter_columns: tuple[Attribute, ...]

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals]:
        """Fewer columns, from the files or from their paths."""
        data = len(self.data_columns)
        of_paths = [ordinal - data for ordinal in required if ordinal >= data]
        scan = replace(
            self,
            output=chosen(self.output, required),
            data_columns=chosen(self.data_columns, [i for i in required if i < data]),
            partition_columns=chosen(self.partition_columns, of_paths),
            partition_ordinals=chosen(self.partition_ordinals, of_paths),
        )
        return scan, required

    @property
    def is_divisible(self) -> bool:
        """Each run reads some of the splits."""
        return True

    @property
    def only_reads(self) -> bool:
        """Files are decoded."""
        return False

    @property
    def may_use_gpu(self) -> bool:
        """ORC is decoded on the host."""
        return self.format != "orc" and not uses_nested(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSource(Node):
    """Batches from the JVM, of source number `source`."""

    source: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter(Node):
    """Rows of the child for which `condition` is true.

    `keep`: the ordinals of the child's output that are returned, set by `plan.prune`; None means
    all of them.
    """

    operators = ("Filter",)

    condition: Expression
    keep: Ordinals | None = field(default=None, metadata=role(ordinals=True))

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals]:
        """Columns that only the condition reads are not returned."""
        return replace(self, output=chosen(self.output, required), keep=required), required

    @property
    def is_divisible(self) -> bool:
        """Row by row."""
        return self.child.is_divisible and not has_counter(self.condition)

    @property
    def is_replicated(self) -> bool:
        """Row by row."""
        return self.child.is_replicated


@dataclass(frozen=True, slots=True, kw_only=True)
class Project(Node):
    """One column for each of `expressions`."""

    operators = ("Project",)

    expressions: tuple[Expression, ...]

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals]:
        """Fewer expressions; those that count rows stay."""
        counting = (i for i, own in enumerate(self.expressions) if has_counter(own))
        required = tuple(sorted({*required, *counting}))
        expressions = chosen(self.expressions, required)
        return (
            replace(self, output=chosen(self.output, required), expressions=expressions),
            required,
        )

    @property
    def is_divisible(self) -> bool:
        """Row by row."""
        return self.child.is_divisible and not any(map(has_counter, self.expressions))

    @property
    def is_replicated(self) -> bool:
        """Row by row."""
        return self.child.is_replicated


@dataclass(frozen=True, slots=True)
class BufferAttribute:
    """One buffer of an aggregate.

    `ordinal` is its column in the child's output, for modes that merge.
    """

    type: DataType
    nullable: bool
    ordinal: int | None = field(metadata=role(ordinals=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateCall:
    """One aggregate function: `mode` is Partial, PartialMerge, Final or Complete.

    `children` and `filter` are over the child's output in the modes that update; in the others
    only the types in `argument_types` are known, and the values of literals in `constants`, where
    None stands for all other arguments.
    """

    name: str
    mode: str
    distinct: bool
    type: DataType
    nullable: bool
    fields: tuple[tuple[str, Any], ...]
    argument_types: tuple[DataType, ...]
    constants: tuple[Any, ...]
    children: tuple[Expression, ...]
    filter: Expression | None
    buffers: tuple[BufferAttribute, ...]

    @property
    def updates(self) -> bool:
        """True if its input are rows, false if they are buffers."""
        return self.mode in {"Partial", "Complete"}

    @property
    def finishes(self) -> bool:
        """True if it returns results, false if it returns buffers."""
        return self.mode in {"Final", "Complete"}

    @property
    def width(self) -> int:
        """The number of its columns in the aggregated row."""
        return 1 if self.finishes else len(self.buffers)


@dataclass(frozen=True, slots=True, kw_only=True)
class HashAggregate(Node):
    """Groups by `grouping`.

    `results` are over the aggregated row: the grouping values, then each aggregate's result or
    buffers.
    """

    operators = (
        "HashAggregate",
        "SortAggregate",
        "ObjectHashAggregate",
    )

    grouping: tuple[Expression, ...] = field(metadata=role(compared=Compared.EQUAL))
    aggregates: tuple[AggregateCall, ...]
    results: tuple[Expression, ...] = field(metadata=role(over=Over.OTHER))

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals]:
        """Fewer results."""
        results = chosen(self.results, required)
        return replace(self, output=chosen(self.output, required), results=results), required

    def with_keys(self, keyed: Self) -> Self:
        """Any value of a group represents it: the first is kept beside the aggregates' buffers."""
        own = list(enumerate(self.grouping))
        bound = [(ordinal, key) for ordinal, key in own if keyed.grouping[ordinal] is not key]
        width = len(own) + sum(call.width for call in self.aggregates)
        moved = {ordinal: ordinal for ordinal in range(width)}
        moved |= {ordinal: width + number for number, (ordinal, _) in enumerate(bound)}
        return replace(
            keyed,
            aggregates=(*self.aggregates, *(_first(key) for _, key in bound)),
            results=tuple(rebind(expression, moved) for expression in self.results),
        )

    @property
    def is_divisible(self) -> bool:
        """A partial aggregation of a scan's rows, whose groups a later phase merges.

        Without functions a partial and a final deduplication look the same.
        """
        partial = bool(self.aggregates) and all(call.mode == "Partial" for call in self.aggregates)
        below = (isinstance(node, HashAggregate) for node in walk(self.child))
        return partial and not any(below) and self.child.is_divisible

    @property
    def gives_any_order(self) -> bool:
        """If it is divisible, a later phase merges the groups."""
        return True


def _first(key: Expression) -> AggregateCall:
    return AggregateCall(
        name="First",
        mode="Complete",
        distinct=False,
        type=key.type,
        nullable=key.nullable,
        fields=(("ignore_nulls", False),),
        argument_types=(key.type,),
        constants=(None,),
        children=(key,),
        filter=None,
        buffers=(
            BufferAttribute(key.type, key.nullable, None),
            BufferAttribute(BOOLEAN, False, None),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort(Node):
    """The child's rows in `order`: the first `limit` of them, or all if it is None.

    `keep`: the ordinals of the child's output that are returned, set by `plan.prune`; None means
    all of them.
    """

    operators = (
        "Sort",
        "TakeOrderedAndProject",
    )
    level = "any order"

    order: tuple[SortOrder, ...] = field(metadata=role(compared=Compared.ORDERED))
    limit: int | None
    keep: Ordinals | None = field(default=None, metadata=role(ordinals=True))

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals]:
        """Columns that only the order reads are not returned."""
        return replace(self, output=chosen(self.output, required), keep=required), required


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit(PassThrough):
    """The child's rows without the first `offset`: `limit` of them, or all if it is None."""

    operators = (
        "LocalLimit",
        "GlobalLimit",
        "CollectLimit",
    )
    level = "any order"

    limit: int | None
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Union(Node):
    """The rows of the child that the task runs.

    `keep`: for each child the ordinals of its output that are returned, set by `plan.prune`; None
    means all of them.
    """

    operators = ("Union",)

    keep: tuple[Ordinals, ...] | None = field(
        default=None, metadata=role(over=Over.EACH_CHILD, ordinals=True)
    )

    def narrowed(self, required: Ordinals) -> tuple[Node, Ordinals]:
        """The same columns of each child."""
        keep = tuple(required for _ in self.children)
        return replace(self, output=chosen(self.output, required), keep=keep), required


@dataclass(frozen=True, slots=True)
class Zone:
    """A time zone.

    `offsets[i]` seconds east of UTC apply before `transitions[i]` (UTC seconds), the last one after
    all transitions. Known up to the year 2500.
    """

    transitions: tuple[int, ...]
    offsets: tuple[int, ...]


DEFAULT_BATCH_ROWS = 131_072
"""About one row group of 1 MiB pages: stays in a core's cache, and is not put together from two."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of the user's configuration for the engine.

    `operators_limited`: operators spill beyond `operator_memory`, however much their task may have.
    `exact`: files whose rows in Spark may differ are left to it.
    `encrypted`: no rows may be on a local disk in clear text, so no operator spills.
    `python_trace`: functions that are made of expressions are computed as such.
    `python_accelerate`: the libraries that are replaced for functions on a GPU.

    These follow from the fragment and its run:
    `has_texts`: some column has values of any length.
    `gpu_memory_parts`: the task uses this part of what tasks on a GPU have each.
    """

    device: str = "auto"
    ansi: bool = True
    time_zone: str = "UTC"
    case_sensitive: bool = False
    exact: bool = False
    batch_rows: int = DEFAULT_BATCH_ROWS
    operator_memory: int = 512 << 20
    operators_limited: bool = True
    gpu_memory_fraction: float = 0.8
    gpu_concurrent_tasks: int = 4
    gpu_streams: int = 4
    encrypted: bool = False
    python_trace: bool = True
    python_accelerate: str = "auto"
    has_texts: bool = True
    gpu_memory_parts: int = 1


@dataclass(frozen=True, slots=True)
class Fragment:
    """A tree of nodes that one task runs in one call."""

    root: Node
    settings: Settings
    zones: Mapping[str, Zone]
