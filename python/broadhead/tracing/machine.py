"""The interpreter's operations on values: constants are computed, symbols compute themselves.

No code of the user runs. So a function that is refused has had no effect.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import broadhead.tracing.containers  # noqa: F401
from broadhead.tracing import known_values, terms
from broadhead.tracing.frame import Frame
from broadhead.tracing.known_values import FUNCTIONS_OF_OPERATORS, admit, name_of
from broadhead.tracing.refusal import PathRaises, Undecided, Untraceable
from broadhead.tracing.symbol import Method, Symbol, is_symbolic

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression
    from broadhead.tracing.paths import Decisions
    from broadhead.tracing.signature import FunctionSignature

MOST_STEPS = 5_000
MOST_DEPTH = 10
CONSTANT_TYPES = (*known_values.SCALARS, *known_values.TIMES, tuple, list, dict, set, frozenset)
CONSTANT_CALLABLES = (types.FunctionType, types.BuiltinFunctionType, type)
UNSAFE_TO_FORMAT = (float,)


class Domain(Protocol):
    """What operations with symbols give, by the kind of the function."""

    def attribute(self, owner: Symbol, name: str) -> Any:
        """`owner.name`."""

    def method(self, method: Method, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """`owner.name(...)`."""

    def binary(self, operator: str, left: Any, right: Any) -> Any:
        """`left operator right`, of which one is a symbol."""

    def call(
        self, machine: Machine, function: Any, arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        """The result of a known function; raises `Untraceable` for others."""


class SymbolDomain:
    """Operations that the symbols define themselves."""

    def attribute(self, owner: Symbol, name: str) -> Any:
        """`owner.name`."""
        return owner.attribute(name)

    def method(self, method: Method, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """`owner.name(...)`."""
        return method.owner.method(method.name, arguments, keywords)

    def binary(self, operator: str, left: Any, right: Any) -> Any:
        """`left operator right`, of which one is a symbol."""
        if isinstance(left, Symbol):
            return left.binary(operator, right, reflected=False)
        return right.binary(operator, left, reflected=True)


class Machine:
    """The interpretation of a function on one path."""

    def __init__(self, domain: Domain, decisions: Decisions) -> None:
        self.domain = domain
        self.decisions = decisions
        self.symbols: list[Symbol] = []
        self._steps = 0
        self._depth = 0

    def count_step(self) -> None:
        """Ends the interpretation of a function that loops for long."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise Untraceable(f"it runs more than {MOST_STEPS} instructions")

    @property
    def computed(self) -> list[Expression]:
        """What Python computes on this path, whether the result needs it or not."""
        found = (getattr(symbol, "expression", None) for symbol in self.symbols)
        return [expression for expression in found if expression is not None]

    def decide(self, condition: Expression) -> bool:
        """The outcome of a condition on this path."""
        if condition in (terms.TRUE, terms.FALSE):
            return condition == terms.TRUE
        return self.decisions.decide(condition)

    def run_with(
        self, function: types.FunctionType, signature: FunctionSignature, values: Sequence[Any]
    ) -> Any:
        """The result for the arguments of a signature, of which some are passed by name."""
        self.symbols += [value for value in values if isinstance(value, Symbol)]
        pairs = list(zip(signature.arguments, values, strict=True))
        positional = [value for argument, value in pairs if argument.name is None]
        keywords = {argument.name: value for argument, value in pairs if argument.name is not None}
        return self.run(function, positional, keywords)

    def run(
        self, function: types.FunctionType, arguments: Sequence[Any], keywords: Mapping[str, Any]
    ) -> Any:
        """The result of a Python function."""
        if self._depth >= MOST_DEPTH:
            raise Untraceable("it calls functions more than 10 deep")
        code = function.__code__
        variables = _bind(function, arguments, keywords)
        cells = function.__closure__ or ()
        enclosing = dict(zip(code.co_freevars, cells, strict=True))
        if code.co_cellvars:
            raise Untraceable("it makes a function")
        self._depth += 1
        result = Frame(self, code, variables, function.__globals__, enclosing).run()
        self._depth -= 1
        return result

    def global_value(self, names: Mapping[str, Any], name: str) -> Any:
        """A global, or a builtin."""
        if name in names:
            return admit(names[name], f"the global {name}")
        builtins = names.get("__builtins__", __builtins__)
        table = builtins if isinstance(builtins, dict) else vars(builtins)
        if name not in table:
            raise PathRaises
        return admit(table[name], name)

    def enclosing_value(self, cells: Mapping[str, types.CellType], name: str) -> Any:
        """A variable of an enclosing function."""
        if name not in cells:
            raise Untraceable(f"it uses the variable {name} of an inner function")
        try:
            value = cells[name].cell_contents
        except ValueError:
            raise PathRaises from None
        return admit(value, f"the variable {name} of an enclosing function")

    def imported(self, name: str, level: int, names: tuple[str, ...] | None) -> Any:
        """The module that `import name` or `from name import ...` gives."""
        if level:
            raise Untraceable("it imports a module of its own package")
        module = known_values.import_module(name)
        return module if names else known_values.import_module(name.partition(".")[0])

    def attribute(self, owner: Any, name: str) -> Any:
        """`owner.name`."""
        if isinstance(owner, Symbol):
            return self.domain.attribute(owner, name)
        if isinstance(owner, types.ModuleType):
            return known_values.module_attribute(owner, name)
        if name in known_values.pure_methods(owner):
            return _ConstantMethod(owner, name)
        if type(owner) in known_values.TIMES and name in {"year", "month", "day", "days"}:
            return getattr(owner, name)
        if owner is None:
            raise PathRaises
        known = owner if isinstance(owner, type) else type(owner)
        raise Untraceable(f"it uses .{name} of {known.__name__}")

    def call(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """`function(*arguments, **keywords)`."""
        if isinstance(function, Method):
            return self.domain.method(function, arguments, keywords)
        if isinstance(function, _ConstantMethod):
            return self._constant_method(function, arguments, keywords)
        if isinstance(function, Symbol):
            raise Untraceable(f"it calls {function.shown}")
        if (
            type(function) is types.FunctionType
            and known_values.is_known_callable(function) is False
        ):
            return self.run(function, arguments, keywords)
        if isinstance(function, type) and issubclass(function, Exception):
            return function
        if is_symbolic(arguments) or is_symbolic(keywords):
            kind, operator = FUNCTIONS_OF_OPERATORS.get(function, (None, ""))
            if kind is not None and not keywords:
                return getattr(self, kind)(operator, *arguments)
            return self.domain.call(self, function, arguments, keywords)
        if function is pow and len(arguments) == 2 and not keywords:
            return self.binary("**", *arguments)
        try:
            return known_values.call_constant(function, arguments, keywords)
        except (Untraceable, RecursionError, MemoryError):
            raise
        except Exception:
            raise PathRaises from None

    def binary(self, operator: str, left: Any, right: Any) -> Any:
        """`left operator right`."""
        if isinstance(left, Symbol) or isinstance(right, Symbol):
            return self.domain.binary(operator, left, right)
        return self._constant(known_values.binary_constant, operator, left, right)

    def compare(self, operator: str, left: Any, right: Any) -> Any:
        """`left operator right`."""
        if isinstance(left, Symbol):
            return left.compare(operator, right)
        if isinstance(right, Symbol):
            return right.compare(terms.MIRRORED[operator], left)
        return self._constant(known_values.COMPARE[operator], left, right)

    def unary(self, operator: str, value: Any) -> Any:
        """`operator value`."""
        if isinstance(value, Symbol):
            return value.unary(operator)
        return self._constant(known_values.UNARY[operator], value)

    def item(self, owner: Any, key: Any) -> Any:
        """`owner[key]`."""
        if isinstance(owner, Symbol):
            return owner.item(key)
        if isinstance(key, Symbol) and isinstance(owner, dict):
            return self._chosen(owner, key)
        if is_symbolic(key):
            raise Untraceable("it indexes a constant with a value")
        return self._constant(lambda: owner[key])

    def contains(self, container: Any, member: Any) -> Any:
        """`member in container`."""
        if isinstance(container, Symbol):
            return container.contains(member)
        if not isinstance(member, Symbol):
            return bool(self._constant(lambda: member in container))
        if not isinstance(container, tuple | list | set | frozenset | dict):
            raise Untraceable("it uses in with a value")
        return any(self.truth(self.compare("==", member, item)) for item in _ordered(container))

    def is_same(self, left: Any, right: Any) -> bool:
        """`left is right`, where one is a symbol: then it is neither None nor a constant."""
        if isinstance(left, Symbol) or isinstance(right, Symbol):
            other = right if isinstance(left, Symbol) else left
            if other is None:
                return False
            raise Untraceable("it uses is on a value")
        return left is right

    def truth(self, value: Any) -> bool:
        """Whether a value is true, on this path."""
        if isinstance(value, Symbol):
            return self.decide(value.truth())
        if is_symbolic(value) or not isinstance(value, CONSTANT_TYPES):
            raise Untraceable(f"it branches on a {type(value).__name__}")
        return bool(value)

    def negated(self, value: Any) -> bool:
        """`not value`."""
        return not self.truth(value)

    def formatted(self, value: Any) -> Any:
        """A value inside an f-string."""
        if isinstance(value, Symbol):
            return value.formatted()
        return self._constant(format, value)

    def _chosen(self, table: dict[Any, Any], key: Symbol) -> Any:
        for item, value in table.items():
            if self.truth(self.compare("==", key, item)):
                return value
        raise PathRaises

    def _constant_method(
        self, method: _ConstantMethod, arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        if not is_symbolic(arguments) and not is_symbolic(keywords):
            return self._constant(
                lambda: getattr(method.owner, method.name)(*arguments, **keywords)
            )
        if method.name == "get" and isinstance(arguments[0], Symbol) and not keywords:
            try:
                return self._chosen(method.owner, arguments[0])
            except PathRaises:
                return arguments[1] if len(arguments) > 1 else None
        texts = arguments[0] if method.name == "join" and len(arguments) == 1 else None
        if isinstance(texts, tuple | list) and texts:
            return self._joined(method.owner, texts)
        raise Untraceable(f"it calls {method.name} of a constant with a value")

    def _joined(self, separator: str, texts: Sequence[Any]) -> Any:
        """`separator.join(texts)`."""
        result = texts[0]
        for text in texts[1:]:
            result = self.binary("+", self.binary("+", result, separator), text)
        return result

    def _constant(self, function: Any, *arguments: Any) -> Any:
        """The result of a function of constants; an exception of it ends the path."""
        for argument in arguments:
            if is_symbolic(argument):
                raise Untraceable("it compares or combines containers of values")
        try:
            return function(*arguments)
        except (Untraceable, Undecided, RecursionError, MemoryError):
            raise
        except Exception:
            raise PathRaises from None


class _ConstantMethod:
    """A method of a constant, before it is called."""

    def __init__(self, owner: Any, name: str) -> None:
        self.owner = owner
        self.name = name


def _ordered(container: Any) -> list[Any]:
    """The members in an order that does not depend on hashes, so that paths are repeatable."""
    if isinstance(container, set | frozenset):
        return sorted(container, key=lambda item: (type(item).__name__, repr(item)))
    return list(container)


def _bind(
    function: types.FunctionType, arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> dict[str, Any]:
    """The local variables at the start of a call."""
    for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        if not (known_values.is_constant(value) or known_values.is_known_callable(value)):
            raise Untraceable("it has a default argument that is not a constant")
    try:
        bound = inspect.signature(function, follow_wrapped=False).bind(*arguments, **keywords)
    except TypeError:
        raise Untraceable(f"{name_of(function)} takes other arguments") from None
    bound.apply_defaults()
    return dict(bound.arguments)
