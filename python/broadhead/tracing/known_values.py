"""Concrete values that a traced function may use: constants, modules and functions."""

from __future__ import annotations

import builtins
import datetime
import importlib
import math
import operator
import sys
import types
from typing import Any

from broadhead.tracing.refusal import Untraceable

MODULES = frozenset(
    {"builtins", "datetime", "math", "numpy", "operator", "pandas", "pyarrow", "pyarrow.compute"}
)
"""The modules whose functions and constants have a known meaning."""
SCALARS = (type(None), bool, int, float, str, bytes)
TIMES = (datetime.date, datetime.datetime, datetime.timedelta)
MOST_ITEMS = 10_000
MOST_BITS = 4096

PURE_BUILTINS = frozenset(
    getattr(builtins, name)
    for name in {
        "abs",
        "all",
        "any",
        "bool",
        "dict",
        "divmod",
        "enumerate",
        "float",
        "int",
        "isinstance",
        "len",
        "list",
        "max",
        "min",
        "range",
        "reversed",
        "round",
        "set",
        "sorted",
        "str",
        "sum",
        "tuple",
        "zip",
    }
)
EXCEPTIONS = tuple(
    value
    for value in vars(builtins).values()
    if isinstance(value, type) and issubclass(value, Exception)
)
_PURE_METHODS: dict[type, frozenset[str]] = {
    str: frozenset(
        {
            "capitalize",
            "casefold",
            "count",
            "endswith",
            "find",
            "isalpha",
            "isdigit",
            "islower",
            "isnumeric",
            "isspace",
            "isupper",
            "join",
            "lower",
            "lstrip",
            "removeprefix",
            "removesuffix",
            "replace",
            "rstrip",
            "split",
            "startswith",
            "strip",
            "title",
            "upper",
            "zfill",
        }
    ),
    dict: frozenset({"get", "items", "keys", "values"}),
    tuple: frozenset({"count", "index"}),
    list: frozenset({"count", "index"}),
}
NUMPY_TYPES = (
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "bool_",
    "str_",
    "dtype",
)

ARROW_TYPES = frozenset(
    {"bool_", "int8", "int16", "int32", "int64", "float32", "float64", "string", "date32"}
)


def pure_methods(value: Any) -> frozenset[str]:
    """The methods of a constant that may be called."""
    return _PURE_METHODS.get(type(value), frozenset())


def is_constant(value: Any) -> bool:
    """Whether the value is plain data that the function cannot change in a way that shows."""
    if type(value) in SCALARS or type(value) in TIMES:
        return True
    if type(value) in (tuple, frozenset):
        return len(value) <= MOST_ITEMS and all(is_constant(item) for item in value)
    arrow = sys.modules.get("pyarrow")
    if arrow is not None and isinstance(value, arrow.DataType):
        return True
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic | numpy.dtype)


def is_table(value: Any) -> bool:
    """Whether the value is a list, set or dict of constants."""
    if type(value) in (list, set):
        return len(value) <= MOST_ITEMS and all(is_constant(item) for item in value)
    if type(value) is dict:
        pairs = [*value.keys(), *value.values()]
        return len(pairs) <= MOST_ITEMS and all(is_constant(item) for item in pairs)
    return False


def admit(value: Any, description: str) -> Any:
    """The value of a global or of an enclosing function, if its meaning is known."""
    if is_constant(value) or is_table(value) or is_known_callable(value):
        return value
    if isinstance(value, types.ModuleType):
        if value.__name__ in MODULES:
            return value
        raise Untraceable(f"it uses the module {value.__name__}")
    if type(value) is types.FunctionType:
        return value
    raise Untraceable(f"it uses {description}")


def is_known_callable(value: Any) -> bool:
    """Whether a function or class is of one of the known modules."""
    if isinstance(value, type) and issubclass(value, Exception):
        return value in EXCEPTIONS
    if value in TIMES if isinstance(value, type) else False:
        return True
    if isinstance(value, type) or callable(value):
        return _home(value) is not None
    return False


def _home(value: Any) -> str | None:
    """The known module that has the callable under its own name."""
    name = getattr(value, "__name__", None)
    if not isinstance(name, str):
        return None
    for module_name in sorted(MODULES):
        module = sys.modules.get(module_name)
        if module is not None and vars(module).get(name) is value:
            return module_name
    return None


def module_attribute(module: types.ModuleType, name: str) -> Any:
    """A function, class or constant of a known module."""
    full_name = f"{module.__name__}.{name}"
    try:
        value = getattr(module, name)
    except AttributeError:
        raise Untraceable(f"it uses {full_name}") from None
    if isinstance(value, types.ModuleType):
        if value.__name__ in MODULES:
            return value
        raise Untraceable(f"it uses {full_name}")
    if is_constant(value) or isinstance(value, type) or callable(value):
        return value
    raise Untraceable(f"it uses {full_name}")


def import_module(name: str) -> Any:
    """A module that the function imports itself."""
    if name not in MODULES:
        raise Untraceable(f"it imports {name}")
    return importlib.import_module(name)


def name_of(function: Any) -> str:
    """The name of a function in reasons."""
    home = _home(function)
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    name = str(name or type(function).__name__)
    return name if home in (None, "builtins") else f"{home}.{name}"


def call_constant(function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """The result of a pure function of constants."""
    if not _is_pure(function):
        raise Untraceable(f"it calls {name_of(function)}")
    if any(type(value) is types.FunctionType for value in (*arguments, *keywords.values())):
        raise Untraceable(f"it passes a function to {name_of(function)}")
    return function(*arguments, **keywords)


def _is_pure(function: Any) -> bool:
    try:
        if function in PURE_BUILTINS or function in TIMES:
            return True
    except TypeError:
        return False
    numpy = sys.modules.get("numpy")
    if numpy is not None and (
        isinstance(function, numpy.ufunc) or function in [getattr(numpy, n) for n in NUMPY_TYPES]
    ):
        return True
    name = getattr(function, "__name__", "")
    arrow = sys.modules.get("pyarrow")
    if arrow is not None and name in ARROW_TYPES and getattr(arrow, name, None) is function:
        return True
    return any(vars(module).get(name) is function for module in (math, operator))


def binary_constant(operator_name: str, left: Any, right: Any) -> Any:
    """The operator of two constants; refused where the result could be huge."""
    if operator_name in {"**", "<<", "*"} and type(left) is int and type(right) is int:
        bits = left.bit_length() * (abs(right) if operator_name == "**" else 1)
        bits += abs(right) if operator_name == "<<" else 0
        if bits > MOST_BITS:
            raise Untraceable("it computes a huge number")
    repeated = (str, bytes, tuple, list)
    if operator_name == "*" and (isinstance(left, repeated) or isinstance(right, repeated)):
        raise Untraceable("it repeats a constant")
    return BINARY[operator_name](left, right)


BINARY = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
UNARY = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
FUNCTIONS_OF_OPERATORS: dict[Any, tuple[str, str]] = {
    **{function: ("binary", name) for name, function in BINARY.items()},
    **{function: ("compare", name) for name, function in COMPARE.items()},
    **{function: ("unary", name) for name, function in UNARY.items()},
}
"""The functions of the module `operator`, with the operators that they stand for."""
