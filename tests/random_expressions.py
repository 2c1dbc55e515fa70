"""Random SQL expressions over the functions of the registry.

A function joins by itself when its name in SQL can be called as `name(arguments)`; operators and
special forms have their text in `FORMS`, and what needs more than typed arguments in `_special`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from broadhead.aggregates.registry import aggregates
from broadhead.functions.registry import ATOMIC, NUMERIC, Function, Signature, functions
from random_tables import DECIMALS, TEXTS, RandomTable

UNREACHABLE = {
    "UnscaledValue", "MakeDecimal", "NormalizeNaNAndZero", "AtLeastNNonNulls", "CaseWhen", "InSet",
    "CreateNamedStruct", "CollationKey"
}  # fmt: skip
"""Classes that no SQL text names; Spark puts them in, or a form of another class gives them."""

FORMS = {
    "Add": ("({0} + {1})", "try_add({0}, {1})"),
    "Subtract": ("({0} - {1})", "try_subtract({0}, {1})"),
    "Multiply": ("({0} * {1})", "try_multiply({0}, {1})"),
    "Divide": ("({0} / {1})", "try_divide({0}, {1})"),
    "IntegralDivide": ("({0} div {1})",),
    "Remainder": ("({0} % {1})", "try_mod({0}, {1})"),
    "UnaryMinus": ("(- {0})",),
    "BitwiseAnd": ("({0} & {1})",),
    "BitwiseOr": ("({0} | {1})",),
    "BitwiseXor": ("({0} ^ {1})",),
    "BitwiseNot": ("(~ {0})",),
    "EqualTo": ("({0} = {1})", "({0} <> {1})"),
    "EqualNullSafe": ("({0} <=> {1})", "({0} IS DISTINCT FROM {1})"),
    "LessThan": ("({0} < {1})",),
    "LessThanOrEqual": ("({0} <= {1})", "({0} BETWEEN {1} AND {1})"),
    "GreaterThan": ("({0} > {1})",),
    "GreaterThanOrEqual": ("({0} >= {1})",),
    "And": ("({0} AND {1})",),
    "Or": ("({0} OR {1})",),
    "Not": ("(NOT {0})",),
    "IsNull": ("({0} IS NULL)",),
    "IsNotNull": ("({0} IS NOT NULL)",),
    "Concat": ("concat({0})", "concat({0}, {1})", "({0} || {1})"),
    "If": ("if({0}, {1}, {2})", "CASE WHEN {0} THEN {1} ELSE {2} END", "nvl2({1}, {1}, {2})",
           "CASE WHEN {0} THEN {1} WHEN NOT {0} THEN {2} END", "CASE WHEN {0} THEN {1} END",
           "nullif({1}, {2})"),
    "Coalesce": ("coalesce({0}, {1})", "nvl({0}, {1})", "coalesce({0}, {1}, {0})"),
    "In": ("({0} IN ({1}, {2}))", "({0} NOT IN ({1}, {2}))"),
    "Greatest": ("greatest({0}, {1}, {2})", "greatest({0}, {1})"),
    "Least": ("least({0}, {1}, {2})", "least({0}, {1})"),
    "Substring": ("substring({0}, {1}, {2})", "substr({0}, {1})", "left({0}, {1})",
                  "right({0}, {1})"),
    "StringTrim": ("trim({0})", "trim(BOTH {1} FROM {0})"),
    "StringTrimLeft": ("ltrim({0})", "trim(LEADING {1} FROM {0})"),
    "StringTrimRight": ("rtrim({0})", "trim(TRAILING {1} FROM {0})"),
    "Cast": ("CAST({0} AS {returns})", "try_cast({0} AS {returns})"),
    "GetStructField": ("{0}.f",),
    "Like": ("({0} LIKE {1})", "({0} NOT LIKE {1})"),
}  # fmt: skip

SQL_NAMES = {
    "byte": "tinyint", "short": "smallint", "integer": "int", "long": "bigint",
    "year_month_interval": "interval year to month", "day_time_interval": "interval day to second",
}  # fmt: skip
PATTERNS = ("%a%", "_b%", "a%", "%", "", "a\\_b", "100\\%", "%ß_", "___", "%_%b%", "abc", "日%")
TYPES = tuple(sorted(ATOMIC))
RESULT_TYPES = tuple(kind for kind in TYPES if kind != "year_month_interval")
"""Types that `toArrow` takes."""
COLLECTIONS = ("array", "map")
"""Types that functions take and none gives: there are columns of them, and no literals."""
STRUCT = "struct"
"""A type of which there are no columns, but values that are made and taken apart."""
TAKEN = frozenset(TYPES) | frozenset(COLLECTIONS) | {STRUCT}
UNFIT_AGGREGATES = {"First", "Last"}
"""Their answer hangs on the order of rows, which Spark promises to nobody."""
APPROXIMATE_AGGREGATES = {"StddevSamp", "StddevPop", "VarianceSamp", "VariancePop"}


@dataclass(frozen=True, slots=True)
class Production:
    """One way to write an expression: a text with places for arguments, and their types."""

    spark: str
    form: str
    signature: Signature


def _productions() -> dict[str, list[list[Production]]]:
    """For each type the functions that give it, each with its ways."""
    found: dict[str, list[list[Production]]] = {type_: [] for type_ in TYPES}
    for name, registered in functions().items():
        if name in UNREACHABLE:
            continue
        for type_ in TYPES:
            ways = [
                Production(name, form, signature)
                for signature in registered.signatures
                if type_ in signature.returns and _has_columns(signature)
                for form in _forms(registered, signature)
            ]
            if ways:
                found[type_].append(ways)
    return found


def writable() -> set[str]:
    """The Spark classes that expressions can hold."""
    return {
        way.spark for functions_ in _productions().values() for ways in functions_ for way in ways
    }


def _has_columns(signature: Signature) -> bool:
    """Whether columns can have the types, which is not so of the null type."""
    return all(types == "same" or types & TAKEN for types in signature.args)


def _forms(registered: Function, signature: Signature) -> Sequence[str]:
    if registered.spark in FORMS:
        count = len(signature.args)
        return [
            form for form in FORMS[registered.spark] if signature.variadic or _places(form) <= count
        ]
    if not registered.name.isidentifier():
        raise ValueError(
            f"no SQL text is known for {registered.spark} ({registered.name}): add it to FORMS"
        )
    places = ", ".join(f"{{{number}}}" for number in range(len(signature.args)))
    return [f"{registered.name}({places})"]


def _places(form: str) -> int:
    return max(number + 1 for number in range(3) if f"{{{number}}}" in form)


class ExpressionGenerator:
    """Writes expressions over the columns of one table."""

    def __init__(self, random: Random, table: RandomTable) -> None:
        self._random = random
        self._mild = table.mild
        self._columns: dict[str, list[str]] = {}
        for column in table.columns:
            self._columns.setdefault(column.kind, []).append(column.name)
        self._productions = _productions()

    def any_expression(self, depth: int) -> str:
        """An expression of some type, its functions nested so deep at most."""
        return self.expression(self._random.choice(RESULT_TYPES), depth)

    def expression(self, kind: str, depth: int) -> str:
        """An expression of the type."""
        if kind in COLLECTIONS:
            return self._random.choice(self._columns[kind])
        if kind == STRUCT:
            return self._struct(self._random.choice(TYPES), depth)
        if depth <= 0 or not self._productions[kind] or self._random.random() < 0.1:
            return self._leaf(kind)
        ways = self._random.choice(self._productions[kind])
        return self._write(self._random.choice(ways), kind, depth - 1)

    def aggregate(self, depth: int) -> str:
        """An aggregate whose answer does not hang on the order of rows."""
        names = sorted(aggregates().keys() - UNFIT_AGGREGATES)
        spark = self._random.choice(names)
        registered = aggregates()[spark]
        taken = [sorted(_one(way.args[0]) & set(RESULT_TYPES)) for way in registered.signatures]
        kind = self._random.choice(self._random.choice([kinds for kinds in taken if kinds]))
        argument = self.expression(kind, depth)
        sums_up = kind in {"float", "double"} or (kind == "long" and spark == "Average")
        if sums_up and spark not in {"Min", "Max", "Count"}:
            whole = self.expression(self._random.choice(("byte", "short")), depth)
            argument = f"(CAST({whole} AS DOUBLE) / 4D)"
        distinct = "DISTINCT " if self._random.random() < 0.1 else ""
        written = f"{registered.name}({distinct}{argument})"
        if registered.filter and self._random.random() < 0.15:
            written += f" FILTER (WHERE {self.expression('boolean', depth)})"
        return written

    def _write(self, production: Production, kind: str, depth: int) -> str:
        if production.spark == "GetStructField":
            return production.form.format(self._struct(kind, depth))
        signature, arguments, before = production.signature, [], ""
        for position, types in enumerate(signature.args):
            chosen = before if types == "same" else self._argument_type(production, types, kind)
            arguments.append(self._argument(production, position, chosen, depth))
            before = chosen
        while len(arguments) < _places(production.form):
            arguments.append(self.expression(before, depth))
        return production.form.format(*arguments, returns=self._sql_type(kind))

    def _struct(self, kind: str, depth: int) -> str:
        """One of two structs whose field `f` has the type; the optimizer knows a single one's."""
        other = self._random.choice(TYPES)
        made = [
            f"named_struct('f', {self.expression(kind, depth - 1)}, "
            f"'g', {self.expression(other, depth - 1)})"
            for _ in range(2)
        ]
        form = self._random.choice(
            ("if({0}, {1}, {2})", "if({0}, {1}, NULL)", "coalesce(if({0}, {1}, NULL), {2})")
        )
        return form.format(self.expression("boolean", depth - 1), *made)

    def _argument_type(self, production: Production, types: frozenset[str], kind: str) -> str:
        """The result's type where the function gives what it takes, else any that it takes."""
        possible = sorted(types & TAKEN)
        linked = len(production.signature.returns) > 1 and production.spark != "Cast"
        if linked and kind in possible and len(possible) > 1:
            return kind
        return self._random.choice(possible)

    def _argument(self, production: Production, position: int, kind: str, depth: int) -> str:
        signature = production.signature
        if position in signature.values:
            return f"'{self._random.choice(signature.values[position])}'"
        if production.spark == "Like" and position == 1:
            pattern = self._random.choice(PATTERNS).replace("\\", "\\\\")
            return f"'{pattern}'"
        if position in signature.literal:
            return self._literal(kind)
        if self._mild and position == 1 and production.spark in DIVISIONS and kind in NUMERIC:
            return self._columns[kind][1]
        return self.expression(kind, depth)

    def _leaf(self, kind: str) -> str:
        chance = self._random.random()
        if chance < 0.78:
            return self._random.choice(self._columns[kind])
        if chance < 0.82:
            return f"CAST(NULL AS {self._sql_type(kind)})"
        return self._literal(kind)

    def _sql_type(self, kind: str) -> str:
        if kind == "decimal":
            precision, scale = self._random.choice(DECIMALS[:-1])
            return f"decimal({precision},{scale})"
        return SQL_NAMES.get(kind, kind)

    def _literal(self, kind: str) -> str:
        return LITERALS[kind](self._random, self._mild)


DIVISIONS = {"Divide", "IntegralDivide", "Remainder", "Pmod"}


def _one(types: frozenset[str] | str) -> frozenset[str]:
    assert isinstance(types, frozenset)
    return types


def _integer(suffix: str, bits: int) -> Callable[[Random, bool], str]:
    def literal(random: Random, mild: bool) -> str:
        limits = (0, 1, -1) if mild else (0, 1, -1, 2 ** (bits - 1) - 1, 1 - 2 ** (bits - 1))
        value = random.choice((*limits, random.randint(-20, 20), random.randint(1, 9)))
        return f"({value}{suffix})" if value < 0 else f"{value}{suffix}"

    return literal


def _text(random: Random, mild: bool) -> str:
    text = random.choice(TEXTS).replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
    return f"'{text}'"


def _decimal(random: Random, mild: bool) -> str:
    choices = ("0BD", "1BD", "2.5BD", "0.01BD", "100.00BD", "1.2345BD")
    wide = (f"{10**38 - 1}BD", f"0.{'0' * 37}1BD", f"{10**20}.5BD", "9223372036854775807BD")
    return random.choice(choices if mild else choices + wide)


def _quoted(prefix: str, *values: str) -> Callable[[Random, bool], str]:
    return lambda random, mild: f"{prefix}'{random.choice(values)}'"


def _among(*values: str) -> Callable[[Random, bool], str]:
    return lambda random, mild: random.choice(values)


LITERALS: dict[str, Callable[[Random, bool], str]] = {
    "byte": _integer("Y", 8),
    "short": _integer("S", 16),
    "integer": _integer("", 32),
    "long": _integer("L", 64),
    "float": _among("0.1F", "1.5F", "0.0F", "(-2.25F)", "3.4028235E38F"),
    "double": _among("0.1D", "1.5D", "0.0D", "(-0.0D)", "(-2.25D)", "1E308D"),
    "decimal": _decimal,
    "string": _text,
    "binary": _quoted("X", "", "00", "FF00", "616263"),
    "boolean": _among("true", "false"),
    "date": _quoted("DATE", "2000-02-29", "1970-01-01", "1969-12-31", "0001-01-01", "9999-12-31"),
    "timestamp": _quoted(
        "TIMESTAMP", "2024-03-10 10:30:00.5Z", "1969-12-31 23:59:59.999999Z", "2000-01-01 00:00:00Z"
    ),
    "timestamp_ntz": _quoted(
        "TIMESTAMP_NTZ", "2024-03-10 02:30:00.5", "1970-01-01 00:00:00", "1900-01-01 00:00:00"
    ),
    "year_month_interval": _among(
        "INTERVAL '0' MONTH",
        "INTERVAL '1-2' YEAR TO MONTH",
        "INTERVAL '-178956970-8' YEAR TO MONTH",
    ),
    "day_time_interval": _among(
        "INTERVAL '0' DAY", "INTERVAL '-1 02:03:04.000005' DAY TO SECOND", "INTERVAL '7' HOUR"
    ),
}
"""Writes a literal of each type."""
