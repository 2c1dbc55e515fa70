"""The interface of both kernels, `arrow` (pyarrow and numpy) and `cudf` (pylibcudf).

`broadhead.kernels.arrow` and `broadhead.kernels.cudf` have the modules described here, with
functions of exactly these names and signatures. A kernel is one primitive operation on physical
data (see `broadhead.types`), independent of Spark's plans, with exact results for nulls, NaN and
overflow.

Conventions, unless a docstring says otherwise:

- At least one argument of each function is an Array, all Arrays of a call have one length, and the
  result is an Array.
- Null in gives null out.
- "Mask": a boolean Array without nulls. Null inputs never fail a checked function.
- Floats follow Spark's order: NaN equals NaN and is greater than all other values; -0.0 equals 0.0.
- "Unscaled" data are integers of any width that represent decimals: int64 or 128 bits. Results are
  int64 if precision <= 18, and above that if all values fit and the check is cheap.
- Types in signatures are Spark's, from `broadhead.types`.
- `EngineLimit` means that the engine does not compute a result, for instance because the strings of
  an Array exceed 2 GiB: Spark's operators compute the task.
"""

from __future__ import annotations

from typing import Protocol

from broadhead.kernels.interface.arithmetic import Arithmetic
from broadhead.kernels.interface.bits import Bits
from broadhead.kernels.interface.cast import Cast
from broadhead.kernels.interface.characters import Characters, PadSide
from broadhead.kernels.interface.collations import Collations
from broadhead.kernels.interface.columns import Columns
from broadhead.kernels.interface.compare import Compare, Comparison
from broadhead.kernels.interface.datetime import Datetime, Field, Unit
from broadhead.kernels.interface.decimal import Decimal
from broadhead.kernels.interface.device import Device
from broadhead.kernels.interface.elementary import Elementary
from broadhead.kernels.interface.encodings import Encodings
from broadhead.kernels.interface.fields import Fields
from broadhead.kernels.interface.group import Group, Grouping, Kind, Request
from broadhead.kernels.interface.hash import Hash
from broadhead.kernels.interface.join import Bitmap, Join, JoinTable, Pairs
from broadhead.kernels.interface.keys import Keys
from broadhead.kernels.interface.logic import Logic
from broadhead.kernels.interface.nested import Nested
from broadhead.kernels.interface.parquet import Parquet
from broadhead.kernels.interface.parse import Parse
from broadhead.kernels.interface.patterns import Pattern, Patterns
from broadhead.kernels.interface.physical import Array, Checked, Data
from broadhead.kernels.interface.sort import Order, Sort
from broadhead.kernels.interface.strings import Side, Strings
from broadhead.kernels.interface.window import Anchor, Runs, Window

__all__ = [
    "Anchor",
    "Arithmetic",
    "Array",
    "Bitmap",
    "Bits",
    "Cast",
    "Characters",
    "Checked",
    "Collations",
    "Columns",
    "Compare",
    "Comparison",
    "Data",
    "Datetime",
    "Decimal",
    "Device",
    "Elementary",
    "Encodings",
    "Field",
    "Fields",
    "Group",
    "Grouping",
    "Hash",
    "Join",
    "JoinTable",
    "Kernels",
    "Keys",
    "Kind",
    "Logic",
    "Nested",
    "Order",
    "PadSide",
    "Pairs",
    "Parquet",
    "Parse",
    "Pattern",
    "Patterns",
    "Request",
    "Runs",
    "Side",
    "Sort",
    "Strings",
    "Unit",
    "Window",
]


class Kernels(Protocol):
    """Both kernels' modules."""

    columns: Columns
    logic: Logic
    compare: Compare
    arithmetic: Arithmetic
    elementary: Elementary
    bits: Bits
    cast: Cast
    parse: Parse
    decimal: Decimal
    strings: Strings
    characters: Characters
    encodings: Encodings
    patterns: Patterns
    datetime: Datetime
    group: Group
    sort: Sort
    join: Join
    window: Window
    nested: Nested
    keys: Keys
    hash: Hash
    parquet: Parquet
    fields: Fields
    device: Device
