"""Strategies of random SQL expressions over the functions of the registry.

A function joins by itself when its name in SQL can be called as `name(arguments)`; operators and
special forms have their text in `FORMS`. Hypothesis shrinks towards the first of several choices,
which is therefore the simplest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hypothesis import strategies as st

from broadhead.aggregates.registry import aggregates
from broadhead.functions.registry import ATOMIC, NUMERIC, Function, functions
from broadhead.registry import Signature
from random_tables import DECIMALS, TEXTS, RandomTable

UNREACHABLE = {
    "UnscaledValue", "MakeDecimal", "NormalizeNaNAndZero", "AtLeastNNonNulls", "CaseWhen", "InSet",
    "CreateNamedStruct", "CollationKey", "PreciseTimestampConversion", "TryEval", "StringSplit",
    "RegExpExtractAll", "FormatString",
}  # fmt: skip
"""Classes that no SQL text names; Spark puts them in, or a form of another class gives them.

Also those that give an array, since expressions here have none but columns, and `format_string`,
whose conversions must fit its arguments: tests/spark/test_formats.py has random ones.
"""

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
    "LikeAll": ("({0} LIKE ALL ('%a_%', '%_'))", "({0} LIKE ALL ('_%b%', NULL))"),
    "LikeAny": ("({0} LIKE ANY ('a_', '%ß_'))", "({0} LIKE ANY ('_%b%', NULL))"),
    "NotLikeAll": ("({0} NOT LIKE ALL ('%a_%', '_b%'))",),
    "NotLikeAny": ("({0} NOT LIKE ANY ('%a_%', '_b%'))",),
    "RaiseError": ("if(length({0}) > 99999, raise_error({0}), CAST(NULL AS {returns}))",),
    "RoundCeil": ("ceil({0}, {1})",),
    "RoundFloor": ("floor({0}, {1})",),
    "YearOfWeek": ("extract(YEAROFWEEK FROM {0})",),
    "SecondWithFraction": ("extract(SECOND FROM {0})",),
    "ExtractANSIIntervalYears": ("extract(YEAR FROM {0})",),
    "ExtractANSIIntervalMonths": ("extract(MONTH FROM {0})",),
    "ExtractANSIIntervalDays": ("extract(DAY FROM {0})",),
    "ExtractANSIIntervalHours": ("extract(HOUR FROM {0})",),
    "ExtractANSIIntervalMinutes": ("extract(MINUTE FROM {0})",),
    "ExtractANSIIntervalSeconds": ("extract(SECOND FROM {0})",),
    "DateAddYMInterval": ("({0} + {1})", "({0} - {1})"),
    "SubtractDates": ("({0} - {1})",),
    "TimestampAddInterval": ("({0} + {1})", "({0} - {1})"),
    "TimeAdd": ("({0} + {1})",),
    "TimestampAddYMInterval": ("({0} + {1})", "({0} - {1})"),
    "TimestampAdd": ("timestampadd(HOUR, {0}, {1})", "timestampadd(WEEK, {0}, {1})",
                     "timestampadd(MONTH, {0}, {1})"),
    "SubtractTimestamps": ("({0} - {1})",),
    "TimestampDiff": ("timestampdiff(SECOND, {0}, {1})", "timestampdiff(DAY, {0}, {1})",
                      "timestampdiff(QUARTER, {0}, {1})"),
    "MultiplyDTInterval": ("({0} * {1})",),
    "MultiplyYMInterval": ("({0} * {1})",),
    "DivideDTInterval": ("({0} / {1})",),
    "DivideYMInterval": ("({0} / {1})",),
    "MonthsBetween": ("months_between({0}, {1})", "months_between({0}, {1}, false)"),
    "FromUTCTimestamp": ("from_utc_timestamp({0}, 'Asia/Seoul')",
                         "from_utc_timestamp({0}, 'America/New_York')"),
    "ToUTCTimestamp": ("to_utc_timestamp({0}, 'Europe/Paris')",),
    "ConvertTimezone": ("convert_timezone('Europe/Paris', 'Australia/Lord_Howe', {2})",),
    "ToCharacter": ("to_char({0}, '9,999.99S')", "to_char({0}, 'MI$0000.0000')",
                    "to_char({0}, '999999')"),
    "RegExpInStr": ("regexp_instr({0}, {1})", "regexp_count({0}, {1})",
                    "size(regexp_extract_all({0}, {1}, 0))", "size(split({0}, {1}))"),
    "RegExpExtract": ("regexp_extract({0}, {1}, 0)",),
    "RegExpReplace": ("regexp_replace({0}, {1}, 'x')",),
    "StringRepeat": ("repeat({0}, {1} % 5)",),
    "StringSpace": ("space({0} % 9)",),
    "StringLPad": ("lpad({0}, {1} % 20, {2})",),
    "StringRPad": ("rpad({0}, {1} % 20, {2})",),
    "Base64.encode": ("base64({0})",),
    "UrlCodec.decode": ("url_decode(url_encode({0}))", "try_url_decode({0})"),
    "Encode.encode": ("encode({0}, {1})",),
    "StringDecode.decode": ("decode({0}, {1})",),
    "Mask": ("mask({0})", "mask({0}, 'Q', NULL, 'd', '-')"),
}  # fmt: skip

SQL_NAMES = {
    "byte": "tinyint", "short": "smallint", "integer": "int", "long": "bigint",
    "year_month_interval": "interval year to month", "day_time_interval": "interval day to second",
}  # fmt: skip
PATTERNS = ("%a%", "_b%", "a%", "%", "", "a\\_b", "100\\%", "%ß_", "___", "%_%b%", "abc", "日%")
REGULAR_EXPRESSIONS = ("'a+'", "'[a-z]b?'", "'^.'", "'(?i)AB|ß'", "'\\\\s'")
PATTERN_FUNCTIONS = {"RLike", "RegExpExtract", "RegExpInStr", "RegExpReplace"}
TYPES = tuple(sorted(ATOMIC))
RESULT_TYPES = tuple(kind for kind in TYPES if kind != "year_month_interval")
"""Types that `toArrow` takes."""
COLLECTIONS = ("array", "map")
"""Types that functions take and none gives: there are columns of them, and no literals."""
STRUCT = "struct"
"""A type of which there are no columns, but values that are made and taken apart."""
TAKEN = frozenset(TYPES) | frozenset(COLLECTIONS) | {STRUCT}
UNFIT_AGGREGATES = {
    # their answer hangs on the order of rows, which Spark promises to nobody
    "First", "Last", "MaxBy", "MinBy", "CollectList", "CollectSet", "ListAgg", "Mode",
    # a difference of large numbers may be all of their answer
    "Skewness", "Kurtosis", "Corr", "CovPopulation", "CovSample", "RegrSXY", "RegrR2", "RegrSlope",
    "RegrIntercept",
}  # fmt: skip
"""Aggregates whose answer differs between two right ways to compute it."""
AGGREGATE_FORMS = {
    "RegrReplacement": "regr_sxx({0}{1}, 1)",
    "ApproximatePercentile": "percentile_approx({0}{1}, 0.25D)",
    "BitmapConstructAgg": "bitmap_construct_agg({0}bitmap_bit_position({1}))",
    "BitmapOrAgg": "bitmap_or_agg({0}encode(rpad(hex({1}), 4096, 'ab'), 'utf-8'))",
    "BitmapAndAgg": "bitmap_and_agg({0}encode(rpad(hex({1}), 4096, 'ab'), 'utf-8'))",
    "CountMinSketchAgg": "count_min_sketch({0}{1}, 0.4D, 0.8D, 7)",
    "Percentile": "percentile({0}{1}, 0.25D)",
    "PercentileDisc": "percentile_disc(0.25D) WITHIN GROUP (ORDER BY {1})",
}
DIVISIONS = {"Divide", "IntegralDivide", "Remainder", "Pmod"}
LEAVES = ("column",) * 16 + ("literal",) * 4 + ("null",)


@dataclass(frozen=True, slots=True)
class Production:
    """One way to write an expression: a text with places for arguments, and their types."""

    spark: str
    form: str
    signature: Signature


@cache
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


@cache
def _exact_productions() -> dict[str, list[list[Production]]]:
    """The ways of exact functions, whose results others may take: `floor` makes 1 of a digit."""
    entries = functions()
    return {
        type_: [
            exact
            for ways in of_type
            if (exact := [w for w in ways if entries[w.spark].level_of(w.signature) == "exact"])
        ]
        for type_, of_type in _productions().items()
    }


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


@st.composite
def any_expressions(
    draw: st.DrawFn, table: RandomTable, depth: int, *, last_digits: bool = False
) -> str:
    """Expressions of all types over the table, functions nested so deep at most."""
    kind = draw(st.sampled_from(RESULT_TYPES))
    return draw(expressions(table, kind, depth, last_digits=last_digits))


@st.composite
def expressions(
    draw: st.DrawFn, table: RandomTable, kind: str, depth: int, *, last_digits: bool = False
) -> str:
    """Expressions of the type; the outermost function may differ from Spark in `last_digits`."""
    if kind in COLLECTIONS:
        return draw(_columns(table, kind))
    if kind == STRUCT:
        return draw(_structs(table, draw(st.sampled_from(TYPES)), depth))
    functions_ = (_productions() if last_digits else _exact_productions())[kind]
    if depth <= 0 or not functions_ or draw(st.integers(0, 9)) == 0:
        return draw(_leaves(table, kind))
    production = draw(st.sampled_from(draw(st.sampled_from(functions_))))
    return draw(_calls(table, production, kind, depth - 1))


@st.composite
def aggregate_calls(draw: st.DrawFn, table: RandomTable, depth: int) -> str:
    """Aggregates whose answer does not depend on the order of rows."""
    spark = draw(st.sampled_from(sorted(aggregates().keys() - UNFIT_AGGREGATES)))
    registered = aggregates()[spark]
    taken = [sorted(_one(way.args[0]) & set(RESULT_TYPES)) for way in registered.signatures]
    kind = draw(st.sampled_from(draw(st.sampled_from([kinds for kinds in taken if kinds]))))
    sums_up = kind in {"float", "double"} or (kind == "long" and spark == "Average")
    if sums_up and spark not in {"Min", "Max", "Count"}:
        whole = draw(expressions(table, draw(st.sampled_from(("byte", "short"))), depth))
        argument = f"(CAST({whole} AS DOUBLE) / 4D)"
    else:
        argument = draw(expressions(table, kind, depth))
    distinct = "DISTINCT " if draw(st.integers(0, 9)) == 9 else ""
    form = AGGREGATE_FORMS.get(spark, f"{registered.name}({{0}}{{1}})")
    written = form.format(distinct, argument)
    if registered.filter and draw(st.integers(0, 6)) == 6:
        written += f" FILTER (WHERE {draw(expressions(table, 'boolean', depth))})"
    return written


@st.composite
def _calls(
    draw: st.DrawFn, table: RandomTable, production: Production, kind: str, depth: int
) -> str:
    """Calls of a function that give the type."""
    if production.spark == "GetStructField":
        return production.form.format(draw(_structs(table, kind, depth)))
    arguments, before = [], ""
    for position, types in enumerate(production.signature.args):
        if types != "same":
            before = draw(st.sampled_from(_argument_types(production, types, kind)))
        arguments.append(draw(_arguments(table, production, position, before, depth)))
    while len(arguments) < _places(production.form):
        arguments.append(draw(expressions(table, before, depth)))
    return production.form.format(*arguments, returns=draw(_sql_types(kind)))


@st.composite
def _structs(draw: st.DrawFn, table: RandomTable, kind: str, depth: int) -> str:
    """One of two structs whose field `f` has the type; the optimizer knows a single one's."""
    other = draw(st.sampled_from(TYPES))
    made = [
        f"named_struct('f', {draw(expressions(table, kind, depth - 1))}, "
        f"'g', {draw(expressions(table, other, depth - 1))})"
        for _ in range(2)
    ]
    forms = ("if({0}, {1}, {2})", "if({0}, {1}, NULL)", "coalesce(if({0}, {1}, NULL), {2})")
    condition = draw(expressions(table, "boolean", depth - 1))
    return draw(st.sampled_from(forms)).format(condition, *made)


def _argument_types(production: Production, types: frozenset[str], kind: str) -> list[str]:
    """The result's type where the function gives what it takes, else any that it takes."""
    possible = sorted(types & TAKEN)
    linked = len(production.signature.returns) > 1 and production.spark != "Cast"
    return [kind] if linked and kind in possible else possible


def _arguments(
    table: RandomTable, production: Production, position: int, kind: str, depth: int
) -> st.SearchStrategy[str]:
    signature = production.signature
    if position in signature.values:
        return st.sampled_from([_quoted(value) for value in signature.values[position]])
    if production.spark == "Like" and position == 1:
        patterns = st.sampled_from([f"'{_escaped(pattern)}'" for pattern in PATTERNS])
        return st.one_of(patterns, _columns(table, "string"))
    if production.spark in PATTERN_FUNCTIONS and position == 1:
        return st.sampled_from(REGULAR_EXPRESSIONS)
    if position in signature.literal:
        return _literals(kind, mild=table.mild)
    if table.mild and position == 1 and production.spark in DIVISIONS and kind in NUMERIC:
        return st.just(table.names(kind)[1])
    return expressions(table, kind, depth)


@st.composite
def _leaves(draw: st.DrawFn, table: RandomTable, kind: str) -> str:
    leaf = draw(st.sampled_from(LEAVES))
    if leaf == "column":
        return draw(_columns(table, kind))
    if leaf == "literal":
        return draw(_literals(kind, mild=table.mild))
    return f"CAST(NULL AS {draw(_sql_types(kind))})"


def _columns(table: RandomTable, kind: str) -> st.SearchStrategy[str]:
    return st.sampled_from(table.names(kind))


def _sql_types(kind: str) -> st.SearchStrategy[str]:
    if kind == "decimal":
        return st.sampled_from([f"decimal({p},{s})" for p, s in DECIMALS[:-1]])
    return st.just(SQL_NAMES.get(kind, kind))


def _one(types: frozenset[str] | str) -> frozenset[str]:
    assert isinstance(types, frozenset)
    return types


def _literals(kind: str, *, mild: bool) -> st.SearchStrategy[str]:
    """Literals of the type; mild ones seldom overflow or leave a domain."""
    if kind in INTEGERS:
        suffix, bits = INTEGERS[kind]
        limits = (0, 1, -1) if mild else (0, 1, -1, 2 ** (bits - 1) - 1, 1 - 2 ** (bits - 1))
        values = st.sampled_from(limits) | st.integers(1, 9) | st.integers(-20, 20)
        return values.map(lambda value: f"({value}{suffix})" if value < 0 else f"{value}{suffix}")
    if kind == "decimal" and not mild:
        return st.sampled_from(LITERALS[kind] + WIDE_DECIMALS)
    return st.sampled_from(LITERALS[kind])


def _quoted(value: object) -> str:
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "\\'") + "'"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


INTEGERS = {"byte": ("Y", 8), "short": ("S", 16), "integer": ("", 32), "long": ("L", 64)}
WIDE_DECIMALS = (
    f"{10**38 - 1}BD", f"0.{'0' * 37}1BD", f"{10**20}.5BD", "9223372036854775807BD"
)  # fmt: skip
LITERALS: dict[str, tuple[str, ...]] = {
    "float": ("0.1F", "1.5F", "0.0F", "(-2.25F)", "3.4028235E38F"),
    "double": ("0.1D", "1.5D", "0.0D", "(-0.0D)", "(-2.25D)", "1E308D"),
    "decimal": ("0BD", "1BD", "2.5BD", "0.01BD", "100.00BD", "1.2345BD"),
    "string": tuple(f"'{_escaped(text)}'" for text in TEXTS),
    "binary": ("X''", "X'00'", "X'FF00'", "X'616263'"),
    "boolean": ("true", "false"),
    "date": (
        "DATE'2000-02-29'", "DATE'1970-01-01'", "DATE'1969-12-31'", "DATE'0001-01-01'",
        "DATE'9999-12-31'",
    ),
    "timestamp": (
        "TIMESTAMP'2024-03-10 10:30:00.5Z'", "TIMESTAMP'1969-12-31 23:59:59.999999Z'",
        "TIMESTAMP'2000-01-01 00:00:00Z'",
    ),
    "timestamp_ntz": (
        "TIMESTAMP_NTZ'2024-03-10 02:30:00.5'", "TIMESTAMP_NTZ'1970-01-01 00:00:00'",
        "TIMESTAMP_NTZ'1900-01-01 00:00:00'",
    ),
    "year_month_interval": (
        "INTERVAL '0' MONTH", "INTERVAL '1-2' YEAR TO MONTH",
        "INTERVAL '-178956970-8' YEAR TO MONTH",
    ),
    "day_time_interval": (
        "INTERVAL '0' DAY", "INTERVAL '-1 02:03:04.000005' DAY TO SECOND", "INTERVAL '7' HOUR"
    ),
}  # fmt: skip
"""Literals of each type but the integers."""
