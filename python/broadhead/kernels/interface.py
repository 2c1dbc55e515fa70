"""What both kernels, `arrow` (pyarrow and numpy) and `cudf` (pylibcudf), give to the engine.

`broadhead.kernels.arrow` and `broadhead.kernels.cudf` have one module for each protocol here,
with functions of exactly these names and signatures. A kernel does one primitive thing on
physical data (see `broadhead.types`) and knows nothing of Spark's plans; it says exactly what
happens with nulls, NaN and overflow.

Conventions:

- `Array`: pyarrow.Array (never chunked) or pylibcudf.Column. `Data`: an Array, or the library's
  scalar, which
  stands for the same value in every row. At least one argument of each function is an Array, all
  Arrays of
  a call have one length, and the result is an Array, unless the docstring says otherwise.
- Null in gives null out, unless the docstring says otherwise.
- "Mask": a boolean Array without nulls. A function that can fail on a row gives `(result, mask)`:
  the mask is true
  on the rows that failed (result null there), and None when no row did. Null inputs never fail.
- Floats follow Spark's order: NaN equals NaN and is greater than anything; -0.0 equals 0.0.
- "Unscaled" data are integers of any width that hold decimals: int64 or 128 bit. Results are
  int64 where
  precision <= 18, and where cheap also above it when all values fit.
- Types in signatures are Spark's, from `broadhead.types`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, Protocol

import pyarrow as pa

from broadhead.plan.nodes import Settings
from broadhead.types import DataType

Array = Any
Data = Any
Checked = tuple[Array, Array | None]

Comparison = Literal["equal", "less", "less_equal"]
Unit = Literal["day", "week", "month", "quarter", "year"]
Field = Literal["year", "quarter", "month", "day", "day_of_week", "day_of_year"]
Side = Literal["both", "leading", "trailing"]


class Columns(Protocol):
    """Making, moving and measuring columns."""

    def scalar(self, value: Any, type: DataType) -> Data:
        """A scalar from the Python form of a literal (see `plan.expressions.Literal`).

        None is null.
        """

    def is_scalar(self, data: Data) -> bool:
        """True for the library's scalars."""

    def full(self, data: Data, length: int) -> Array:
        """`length` copies of a scalar; an Array is given back as it is."""

    def sequence(self, length: int) -> Array:
        """0 to length - 1, int64."""

    def first(self, data: Array) -> Data:
        """The scalar in row 0 of a non-empty Array."""

    def length(self, data: Array) -> int:
        """Number of rows."""

    def null_count(self, data: Array) -> int:
        """Number of nulls."""

    def nbytes(self, data: Array) -> int:
        """Bytes of memory that the rows take (not those of a parent they are a slice of)."""

    def filter(self, arrays: Sequence[Array], mask: Array) -> list[Array]:
        """The rows where `mask` (nulls allowed) is true."""

    def take(self, arrays: Sequence[Array], indices: Array) -> list[Array]:
        """Rows `indices` (int32 or int64); a null index gives null."""

    def slice(self, arrays: Sequence[Array], offset: int, length: int) -> list[Array]:
        """`length` rows from `offset`, without a copy where the library can."""

    def concat(self, tables: Sequence[Sequence[Array]]) -> list[Array]:
        """The rows of all tables, one after the other.

        All have the same columns, at least one each.
        """

    def scatter(self, data: Array, mask: Array) -> Array:
        """An Array as long as `mask`, with the rows of `data` in order where the mask is true, null elsewhere.

        `data` has as many rows as `mask` has trues.
        """

    def from_arrow(self, array: pa.Array, type: DataType) -> Array:
        """Physical data of a host array in the layout of Spark's `ArrowUtils.toArrowSchema` (or as Parquet readers give it: string_view, large_string, dictionary, decimal of any width and precision, timestamps of any unit, integers of other widths that fit are accepted and normalised).

        Raises EngineLimit where a value does not fit.
        """

    def to_arrow(self, data: Array, type: DataType) -> pa.Array:
        """A host array in the layout of Spark's `ArrowUtils.toArrowSchema`.

        Decimal128(p, s), timestamp[us, UTC], timestamp[us], date32, string with 32-bit offsets
        ...
        """


class Logic(Protocol):
    """Three-valued logic and choice."""

    def and_(self, left: Data, right: Data) -> Array:
        """Kleene and."""

    def or_(self, left: Data, right: Data) -> Array:
        """Kleene or."""

    def not_(self, data: Array) -> Array:
        """Not; null stays null."""

    def is_null(self, data: Array) -> Array:
        """Mask of the nulls (NaN is not null)."""

    def is_valid(self, data: Array) -> Array:
        """Mask of the values that are not null."""

    def is_nan(self, data: Array) -> Array:
        """Mask of the NaNs; false for null."""

    def is_true(self, data: Array) -> Array:
        """Mask: null becomes false."""

    def any(self, mask: Array) -> bool:
        """Whether a row is true (nulls are not)."""

    def all(self, mask: Array) -> bool:
        """Whether every row is true (nulls are not); true for no rows."""

    def if_else(self, condition: Array, then: Data, otherwise: Data) -> Array:
        """`then` where true, `otherwise` where false or null.

        Both of one physical type (unscaled data may differ in width).
        """

    def coalesce(self, data: Sequence[Data]) -> Array:
        """The first value that is not null."""

    def null_where(self, data: Array, mask: Array) -> Array:
        """`data` with null where `mask` is true."""


class Compare(Protocol):
    """Comparison in Spark's order, for boolean, integers, floats, unscaled data of one scale, string and binary (by bytes), date, timestamp."""

    def compare(self, op: Comparison, left: Data, right: Data) -> Array:
        """Boolean; null where either side is null."""

    def null_safe_equal(self, left: Data, right: Data) -> Array:
        """Mask: true for two nulls, false for one."""

    def is_in(self, data: Array, values: Sequence[Any], type: DataType) -> Array:
        """Mask of the values of `data` that equal one of `values` (Python forms, none of them None); false for null.

        An empty list gives all false.
        """

    def normalize(self, data: Array) -> Array:
        """Floats with every NaN made the same NaN and -0.0 made 0.0; other types as they are."""


class Arithmetic(Protocol):
    """Arithmetic on integers of one width and floats of one width.

    The result has the type of the arguments.
    """

    def add(self, left: Data, right: Data) -> Array:
        """Sum; integers wrap around."""

    def subtract(self, left: Data, right: Data) -> Array:
        """Difference; integers wrap around."""

    def multiply(self, left: Data, right: Data) -> Array:
        """Product; integers wrap around."""

    def negate(self, data: Array) -> Array:
        """Negative; the least integer wraps around to itself."""

    def abs(self, data: Array) -> Array:
        """Magnitude; the least integer wraps around to itself."""

    def add_checked(self, left: Data, right: Data) -> Checked:
        """Sum of integers; fails on overflow."""

    def subtract_checked(self, left: Data, right: Data) -> Checked:
        """Difference of integers; fails on overflow."""

    def multiply_checked(self, left: Data, right: Data) -> Checked:
        """Product of integers; fails on overflow."""

    def divide(self, left: Data, right: Data) -> Array:
        """Quotient of floats, as IEEE: division by zero gives an infinity or NaN."""

    def quotient(self, left: Data, right: Data) -> Array:
        """Quotient of integers, truncated toward zero.

        Null where `right` is zero; the least integer / -1 wraps around.
        """

    def remainder(self, left: Data, right: Data) -> Array:
        """Java's %: the sign of the dividend.

        Integers: null where `right` is zero. Floats: as C's fmod.
        """

    def sqrt(self, data: Array) -> Array:
        """Square root of floats, NaN of negative ones."""

    def least_integer(self, data: Array) -> Array:
        """Mask of the integers that have no negative in their width."""


class Cast(Protocol):
    """Conversion between booleans, integers and floats. `to` is one of Spark's types."""

    def widen(self, data: Data, to: DataType) -> Data:
        """To a type that holds every value or a float type (integers round to nearest).

        Booleans become 0 and 1. Scalars stay scalars.
        """

    def narrow_integer(self, data: Array, to: DataType) -> Array:
        """Integers to fewer bits, wrapping around."""

    def narrow_integer_checked(self, data: Array, to: DataType) -> Checked:
        """Integers to fewer bits; fails where the value does not fit."""

    def float_to_integer(self, data: Array, to: DataType) -> Array:
        """Java's (int) or (long), for byte and short then wrapped.

        Truncates, NaN is 0, out of range is the nearest end.
        """

    def float_to_integer_checked(self, data: Array, to: DataType) -> Checked:
        """Truncated; fails for NaN and where the truncated value does not fit."""

    def to_boolean(self, data: Array) -> Array:
        """True where not zero (NaN is true)."""

    def integer_to_string(self, data: Array) -> Array:
        """Decimal digits with a minus sign where negative."""

    def boolean_to_string(self, data: Array) -> Array:
        """`true` or `false`."""

    def reinterpret(self, data: Data, to: DataType) -> Data:
        """The same bits as another type.

        Integer (int32) and date; long, timestamp and timestamp_ntz.
        """


class Decimal(Protocol):
    """Decimals as unscaled data.

    Rounding is HALF_UP (away from zero at a tie). Results that do not fit `precision` digits
    fail.
    """

    def fits_long(self, data: Array) -> Array | None:
        """The same data as int64, or None where a value does not fit."""

    def from_integer(self, data: Array) -> Array:
        """Integers of any width as int64 unscaled data of scale 0."""

    def add(
        self, left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
    ) -> Checked:
        """The exact sum, rounded to `scale`."""

    def subtract(
        self, left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
    ) -> Checked:
        """The exact difference, rounded to `scale`."""

    def multiply(
        self, left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
    ) -> Checked:
        """The exact product, rounded to `scale`."""

    def divide(
        self, left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
    ) -> Checked:
        """The quotient, rounded first to 38 digits after the point (where that matters), then to `scale`, as Spark does; null (not failed) where `right` is zero."""

    def quotient(self, left: Data, left_scale: int, right: Data, right_scale: int) -> Checked:
        """The quotient truncated toward zero, as int64 (scale 0).

        Null where `right` is zero; fails where it does not fit in int64.
        """

    def remainder(
        self, left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
    ) -> Checked:
        """Java's BigDecimal.remainder (sign of the dividend), rounded to `scale`.

        Null where `right` is zero.
        """

    def rescale(self, data: Array, from_scale: int, precision: int, to_scale: int) -> Checked:
        """The same value with `to_scale` digits after the point."""

    def negate(self, data: Array) -> Array:
        """Negative."""

    def abs(self, data: Array) -> Array:
        """Magnitude."""

    def is_zero(self, data: Array) -> Array:
        """Boolean; null for null."""

    def exceeds(self, data: Array, precision: int) -> Array | None:
        """Mask of the values with more than `precision` digits, or None where there is none."""

    def to_integer(self, data: Array, scale: int) -> Checked:
        """Truncated to int64; fails where it does not fit."""

    def to_integer_wrapped(self, data: Array, scale: int) -> Array:
        """The low 64 bits of the truncated value, as Java's BigDecimal.longValue."""

    def to_double(self, data: Array, scale: int) -> Array:
        """The nearest double, as Java's BigDecimal.doubleValue."""

    def from_double(self, data: Array, precision: int, scale: int) -> Checked:
        """From the shortest decimal text of a double (as Java's Double.toString), rounded to `scale`.

        NaN and infinities fail.
        """

    def to_string(self, data: Array, scale: int, plain: bool) -> Array:
        """Java's BigDecimal.toPlainString, or toString (scientific for tiny values.

        Exponent of the first digit below -6).
        """


class Strings(Protocol):
    """Functions of UTF-8 strings; positions and lengths count code points.

    `Data` arguments of type int are int32.
    """

    def length(self, data: Array) -> Array:
        """Number of code points, int32."""

    def byte_length(self, data: Array) -> Array:
        """Number of bytes, int32; takes strings and binary."""

    def upper(self, data: Array) -> Array:
        """Upper case as Java's String.toUpperCase(Locale.ROOT), with its multi-character mappings."""

    def lower(self, data: Array) -> Array:
        """Lower case as Java's String.toLowerCase(Locale.ROOT), with the final sigma rule."""

    def substring(self, data: Array, position: Data, length: Data) -> Array:
        """Spark's substring.

        Positions start at 1, 0 is as 1, negative ones count from the end; a start before the
        first character shortens the result; length below 1 gives ''. Overflow of position +
        length is as 'to the end'.
        """

    def concat(self, data: Sequence[Data]) -> Array:
        """The texts one after the other; null if any is null."""

    def trim(self, data: Array, side: Side, characters: str) -> Array:
        """Without the leading and trailing characters that are in `characters` (a set of code points; '' removes nothing)."""

    def like(self, data: Array, pattern: str, escape: str) -> Array:
        """SQL LIKE, where % and _ match line ends too and `_` is one code point.

        `escape` makes %, _ and itself literal. The pattern is valid: every escape is followed by
        one of these three.
        """

    def starts_with(self, data: Data, pattern: Data) -> Array:
        """Whether it begins with the pattern; '' always."""

    def ends_with(self, data: Data, pattern: Data) -> Array:
        """Whether it ends with the pattern."""

    def contains(self, data: Data, pattern: Data) -> Array:
        """Whether the pattern stands in it."""


class Datetime(Protocol):
    """Proleptic Gregorian dates (date32) and timestamps (int64 microseconds)."""

    def field(self, dates: Array, field: Field) -> Array:
        """The field of a date, int32. day_of_week: 1 is Sunday."""

    def truncate(self, dates: Array, unit: Unit) -> Array:
        """The first date of the unit (weeks start on Monday)."""

    def add_days(self, dates: Data, days: Data) -> Array:
        """Date plus int32 days, wrapping around."""

    def difference(self, end: Data, start: Data) -> Array:
        """Days from start to end, int32, wrapping around."""

    def to_date(self, timestamps: Array) -> Array:
        """The day that holds these local microseconds, rounded down."""

    def from_date(self, dates: Array) -> Checked:
        """Local microseconds of midnight, int64; fails where they do not fit."""

    def utc_to_local(self, timestamps: Array, transitions: Array, offsets: Array) -> Array:
        """UTC microseconds to local microseconds.

        `transitions` (int64 UTC microseconds, ascending) and `offsets` (int64 microseconds, one
        more) as in `plan.nodes.Zone`.
        """

    def local_to_utc(self, timestamps: Array, transitions: Array, offsets: Array) -> Array:
        """Local microseconds to UTC as Java's ZonedDateTime.ofLocal.

        In an overlap the earlier offset (the one before the transition), in a gap moved forward
        by the gap's length.
        """

    def date_to_string(self, dates: Array) -> Array:
        """`yyyy-mm-dd`, years beyond 9999 with a plus sign, before year 0 with a minus sign, as Java's LocalDate.toString and Spark."""

    def timestamp_to_string(self, timestamps: Array) -> Array:
        """Local microseconds as `yyyy-mm-dd hh:mm:ss[.ffffff]`, trailing zeros of the fraction stripped."""


Kind = Literal[
    "sum",
    "sum_checked",
    "sum_unscaled",
    "count",
    "min",
    "max",
    "first",
    "last",
    "first_valid",
    "last_valid",
    "moment2",
]
Request = tuple[Kind, Array, int]
"""Kind, values, and the precision for `sum_unscaled` (0 for the others)."""


class Grouping(Protocol):
    """Rows put into groups."""

    size: int
    """Number of groups."""

    keys: list[Array]
    """The key values of each group."""

    def aggregate(self, requests: Sequence[Request]) -> list[Any]:
        """One result for each request, an Array of `size` rows or (Array, mask) for the checked kinds.

        All requests of a call share the work of grouping, so callers collect them.

        - sum: integers of any width give int64, wrapping around; floats give float64; null for no
          values.
        - sum_checked: of int64; fails where the sum does not fit in int64.
        - sum_unscaled: exact sum of unscaled data; fails above that many digits.
        - count: of the values that are not null, int64.
        - min, max: Spark's order (NaN greatest), for all types that compare; null for no values.
        - first, last: the first or last row's value, null or not, in the order of the input;
          first_valid and
          last_valid skip nulls. Of all types, nested ones too.
        - moment2: float64 sum of squared differences from the group's mean, of floats; null for
          no values.
        """

    def spread(self, values: Array) -> Array:
        """For each input row, the value of its group (`values` has `size` rows)."""


class Group(Protocol):
    """Hash aggregation of what is in memory."""

    def group(self, keys: Sequence[Array], length: int) -> Grouping:
        """Groups by equal keys.

        Nulls are equal, NaNs are equal, -0.0 equals 0.0 (either may come out; callers normalise).
        No keys: exactly one group, also for no rows. Keys are of any type but nested ones.
        """

    def hash_partition(self, keys: Sequence[Array], parts: int, seed: int) -> Array:
        """For each row a number in [0, parts), int32, equal for equal keys (null, NaN and zero as in `group`), the same in every batch of the process.

        For spilling: not Spark's hash.
        """


class Parquet(Protocol):
    """Reading of row groups."""

    def read(
        self,
        pieces: Sequence[tuple[str, Sequence[int]]],
        names: Sequence[str],
        types: Sequence[DataType],
        batch_rows: int,
    ) -> Iterator[tuple[list[Array], list[int]]]:
        """Batches of physical data.

        The columns `names` (exact names in the files, all there, top level) of the row groups of
        each (path, row group numbers), in order. With each batch the number of rows that come
        from each piece that has rows in it, as a list of the length of `pieces`.
        """


class Device(Protocol):
    """Where the kernels run."""

    name: str
    """`cpu` or `gpu`."""

    def activate(self, settings: Settings) -> None:
        """Set the process up for a fragment with these settings; what is set up already stays."""

    def batch_rows(self, settings: Settings) -> int:
        """How many rows an operator should put in a batch, at most."""

    def synchronize(self) -> None:
        """Returns when all work is done; nothing to do on the CPU."""


class Kernels(Protocol):
    """Both kernels' modules."""

    columns: Columns
    logic: Logic
    compare: Compare
    arithmetic: Arithmetic
    cast: Cast
    decimal: Decimal
    strings: Strings
    datetime: Datetime
    group: Group
    parquet: Parquet
    device: Device
