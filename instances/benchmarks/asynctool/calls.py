"""Tool calls: what is called with which parameters, and the call strings of ground truths."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import parse_expression

#: Longest call string, in characters.
MAX_CALL = 20_000
#: Deepest nesting of lists and objects in parameters.
MAX_DEPTH = 32
#: Largest number: one that Python can print.
MAX_NUMBER = 10**4300 - 1


@dataclass(frozen=True)
class Call:
    """A call of a tool; parameters are JSON values by name."""

    name: str
    params: dict[str, Any]

    @cached_property
    def key(self) -> tuple[str, Any]:
        """Equal for calls of the same tool with the same parameters, whatever their order."""
        return self.name, canonical(self.params)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{name}={value!r}' for name, value in self.params.items())})"


def canonical(value: Any) -> Any:
    """Return a hashable form of a JSON value, equal for equal values.

    Numbers are equal by value; truth values and text are never equal to numbers.

    >>> canonical({"a": 1, "b": [True]}) == canonical({"b": [True], "a": 1.0})
    True
    >>> canonical(1) == canonical(True) or canonical(1) == canonical("1")
    False
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, dict):
        return "object", frozenset((name, canonical(entry)) for name, entry in value.items())
    if isinstance(value, list | tuple):
        return "list", tuple(map(canonical, value))
    return value


def too_deep(value: Any, depth: int = MAX_DEPTH) -> bool:
    """Return true if lists and objects are nested deeper than ``depth``."""
    if not isinstance(value, dict | list):
        return False
    entries = value.values() if isinstance(value, dict) else value
    return not depth or any(too_deep(entry, depth - 1) for entry in entries)


def parse_call(text: str, order: dict[str, tuple[str, ...]] | None = None) -> Call:
    """Read a call such as ``mv(source='a', destination='b')``. Nothing is evaluated.

    Parameters
    ----------
    order
        Names of the parameters of every tool in order; lets values be given by position.

    Raises
    ------
    InputError
        For anything but one call with literal values.

    Examples
    --------
    >>> parse_call("place(kind='Buy', amount=-20, tags=['a'])").params
    {'kind': 'Buy', 'amount': -20, 'tags': ['a']}
    """
    if not isinstance(text, str) or len(text) > MAX_CALL:
        raise InputError(f"must be a call in at most {MAX_CALL} characters", value=text)
    try:
        call = parse_expression(text.strip()).body
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            raise InputError("must be a call such as f(a=1)", value=text)
        names = (order or {}).get(call.func.id, ())
        if len(call.args) > len(names):
            raise InputError("values must be given by name", value=text)
        arguments = [*zip(names, call.args, strict=False), *((keyword.arg, keyword.value) for keyword in call.keywords)]
        params = {name: _literal(node, text) for name, node in arguments if name is not None}
    except (SyntaxError, ValueError, RecursionError):
        raise InputError("must be a call such as f(a=1)", value=text) from None
    if len(params) < len(arguments):
        raise InputError("must give every parameter once, by its name", value=text)
    if too_deep(params):
        raise InputError("is nested too deeply", value=text)
    return Call(call.func.id, params)


def _literal(node: ast.expr, text: str) -> Any:
    match node:
        case ast.Constant(value=str() | bool() | None as value):
            return value
        case ast.Constant(value=int() | float() as value) if value <= MAX_NUMBER:
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value) as operand) if (
            not isinstance(value, bool)
        ):
            return -_literal(operand, text)
        case ast.List(elts=entries) | ast.Tuple(elts=entries):
            return [_literal(entry, text) for entry in entries]
        case ast.Dict(keys=keys, values=values) if all(
            isinstance(key, ast.Constant) and isinstance(key.value, str) for key in keys
        ):
            entries_by_key = {key.value: _literal(entry, text) for key, entry in zip(keys, values, strict=True)}  # type: ignore[union-attr]
            if len(entries_by_key) == len(keys):
                return entries_by_key
    raise InputError("values must be literals: text, numbers, true, false, none, lists, objects", value=text)
