"""Base of the tool families: tables of operations, checks of parameters, typed failures."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from types import GenericAlias
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from planoracle.instances.protocol.feedback import quoted

#: Limits on parameters: characters of a text, and entries of a list.
MAX_TEXT, MAX_ENTRIES = 10_000, 1_000
#: Largest number in a parameter.
MAX_NUMBER = 10**12


class ToolError(Exception):
    """Failed call; the agent reads its text."""


def refuse_if(condition: bool, reason: str) -> None:
    """Raise a `ToolError` with a reason if a condition holds."""
    if condition:
        raise ToolError(reason)


def entry_of(table: Mapping[Any, Any], key: object, reason: str) -> Any:
    """Return the entry of a key; raises a `ToolError` with a reason if there is none."""
    refuse_if(key not in table, reason)
    return table[key]


def row_of(rows: Iterable[dict[str, Any]], field: str, value: object, reason: str) -> dict[str, Any]:
    """Return the first row whose field has a value; raises a `ToolError` with a reason if there is none."""
    matches = [row for row in rows if row[field] == value]
    refuse_if(not matches, reason)
    return matches[0]


def fields(**types: Any) -> Any:
    """Return the type of JSON objects with exactly these fields."""
    kind = TypedDict("Fields", types)  # type: ignore[misc]  # the fields are known at run time only
    return with_config(ConfigDict(extra="forbid", strict=True))(kind)


def list_of(kind: Any) -> Any:
    """Return the type of lists of values of a type."""
    return GenericAlias(list, (kind,))


def dict_of(kind: Any) -> Any:
    """Return the type of JSON objects whose values are of a type."""
    return GenericAlias(dict, (str, kind))


def operation(method: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a method of a family as an operation; its parameters are ``Annotated[type, "description"]``.

    Types are ``str``, ``int``, ``list[int]`` and literals of text.
    """
    method.is_operation = True  # type: ignore[attr-defined]
    return method


#: JSON Schemas of the types of parameters; any other type is a literal.
_SCHEMAS: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    list[int]: {"type": "array", "items": {"type": "integer"}},
}


@dataclass(frozen=True, slots=True)
class Operation:
    """Operation of a tool family, which agents call as a tool.

    Attributes
    ----------
    parameters
        Types and descriptions of the parameters by name; all are required.
    execute
        Function of the family and of the checked parameters. It returns a JSON value or raises `ToolError`.
    """

    name: str
    description: str
    parameters: Mapping[str, tuple[Any, str]]
    execute: Callable[..., Any]

    @classmethod
    def of(cls, name: str, method: Callable[..., Any]) -> Operation:
        """Return the operation that a method implements, from its docstring and its annotations."""
        description = " ".join((inspect.getdoc(method) or "").split())
        hints = get_type_hints(method, include_extras=True).items()
        parameters = {parameter: get_args(hint) for parameter, hint in hints if get_origin(hint) is Annotated}
        return cls(name, description, parameters, method)

    def document(self) -> dict[str, Any]:
        """Return the document of the tool in the form of the paper's Figure 11."""
        properties = {}
        for name, (kind, description) in self.parameters.items():
            choices = {"type": "string", "enum": list(get_args(kind))}
            schema = _SCHEMAS.get(kind, choices)
            properties[name] = schema | {"description": description}
        parameters = {"type": "object", "properties": properties, "required": list(properties)}
        return {"name": self.name, "description": self.description, "parameters": parameters}

    def check(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters, each of its type; raises `ToolError`."""
        check_names(self.name, params, self.parameters, self.parameters)
        checked = {}
        for name, value in params.items():
            kind, _ = self.parameters[name]
            checked[name] = _check_value(kind, value, name)
        return checked


def check_names(tool: str, params: Iterable[str], accepted: Container[str], required: Iterable[str]) -> None:
    """Raise a `ToolError` for parameters that a tool does not have, or that are missing."""
    names = list(params)
    for name in names:
        refuse_if(name not in accepted, f"{tool} has no parameter {quoted(name)}")
    for name in required:
        refuse_if(name not in names, f"{tool} needs the parameter {name!r}")


def _check_value(kind: Any, value: Any, name: str) -> Any:
    """Return a value that fits a type; raises `ToolError`."""
    if kind == list[int]:
        is_list = isinstance(value, list) and len(value) <= MAX_ENTRIES
        refuse_if(not is_list, f"{name} must be a list of at most {MAX_ENTRIES} entries")
        return [_check_value(int, entry, f"every entry of {name}") for entry in value]
    if kind is str:
        is_text = isinstance(value, str) and len(value) <= MAX_TEXT
        refuse_if(not is_text, f"{name} must be text of at most {MAX_TEXT} characters")
    elif kind is int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # in JSON 20 and 20.0 are the same number
        is_number = type(value) is int and abs(value) <= MAX_NUMBER
        refuse_if(not is_number, f"{name} must be a whole number of at most {MAX_NUMBER:,}")
    else:
        allowed = get_args(kind)
        is_allowed = isinstance(value, str) and value in allowed
        choices = ", ".join(allowed)
        refuse_if(not is_allowed, f"{name} must be one of {choices}")
    return value


class ToolFamily:
    """State of a family of tools, and the table of its operations; objects share no state.

    A family is a class derived from this one: its operations are the methods marked by `operation`.

    Parameters
    ----------
    initial
        The state to begin with, a JSON object of the type `Initial`; not changed.

    Attributes
    ----------
    data
        The current state, a JSON object.
    """

    #: Type of the initial state, see `fields`.
    Initial: ClassVar[Any] = fields()
    #: Fields of the state that calls change; they are compared after a run.
    COMPARED: ClassVar[tuple[str, ...]] = ()

    def __init__(self, initial: Mapping[str, Any]) -> None:
        self.data: dict[str, Any] = deepcopy(dict(initial))

    @classmethod
    @cache
    def operations(cls) -> dict[str, Operation]:
        """Table of operations by name, in the order of their definition."""
        table = {}
        for name, method in vars(cls).items():
            if getattr(method, "is_operation", False):
                table[name] = Operation.of(name, method)
        return table

    @classmethod
    @cache
    def documents(cls) -> dict[str, dict[str, Any]]:
        """Documents of the operations by name, in the form of the paper's Figure 11."""
        return {name: entry.document() for name, entry in cls.operations().items()}

    def call(self, name: str, params: Mapping[str, Any]) -> Any:
        """Execute an operation and return its result, a JSON value.

        A call that fails changes nothing and returns ``{"error": why}``.
        """
        entry = self.operations().get(name)
        if entry is None:
            return {"error": f"there is no tool {name[:80]!r}"}
        try:
            return entry.execute(self, **entry.check(params))
        except ToolError as error:
            return {"error": str(error)}

    @classmethod
    def check_repeatable(cls, initial: Mapping[str, Any], calls: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Raise `InputError` if calls, by function and parameters, have another effect the second time.

        Bundled families are tested, and need no check.
        """

    def state(self) -> dict[str, Any]:
        """Return a copy of the state that is compared after a run, as a JSON object."""
        return deepcopy({name: self.data[name] for name in self.COMPARED})
