"""Base of the tool families: documents of tools, checks of parameters, typed failures."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin, get_type_hints

from typing_extensions import TypedDict

from planoracle.instances.protocol.feedback import quoted

#: Limits on parameters: characters of a text, entries of a list, size of a number.
MAX_TEXT, MAX_ENTRIES, MAX_NUMBER = 10_000, 1_000, 10**12


_SINGLE = (str, int, float, bool)


class ToolError(Exception):
    """A call that fails; its text is what the agent reads."""


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
    for row in rows:
        if row[field] == value:
            return row
    raise ToolError(reason)


class InitialState(TypedDict):
    """Initial state of a family without a state, and base of the others: unknown fields are refused."""

    __pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[misc]  # noqa: RUF012


def tool(method: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a method of a `Toolbox` as a tool; its parameters are ``Annotated[type, "description"]``."""
    method.is_tool = True  # type: ignore[attr-defined]
    return method


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a tool; ``type`` is ``str, int, float, bool``, a list of one of them, or a literal."""

    name: str
    type: Any
    description: str
    required: bool

    def check(self, value: Any) -> Any:
        """Return a value that fits; raises `ToolError`."""
        if self.type in _SINGLE:
            return _single(self.type, value, self.name)
        if get_origin(self.type) is list:
            (entry,) = get_args(self.type)
            refuse_if(
                not isinstance(value, list) or len(value) > MAX_ENTRIES,
                f"{self.name} must be a list of at most {MAX_ENTRIES} entries",
            )
            return [_single(entry, one, f"every entry of {self.name}") for one in value]
        allowed = get_args(self.type)
        refuse_if(
            not isinstance(value, str) or value not in allowed, f"{self.name} must be one of {', '.join(allowed)}"
        )
        return value

    def schema(self) -> dict[str, Any]:
        """Return the parameter's JSON Schema."""
        names = {str: "string", int: "integer", float: "number", bool: "boolean"}
        described = {"description": self.description}
        if get_origin(self.type) is list:
            return {"type": "array", "items": {"type": names[get_args(self.type)[0]]}} | described
        if get_origin(self.type) is Literal:
            return {"type": "string", "enum": list(get_args(self.type))} | described
        return {"type": names[self.type]} | described


def _single(kind: type, value: Any, name: str) -> Any:
    if kind is str:
        refuse_if(
            not isinstance(value, str) or len(value) > MAX_TEXT, f"{name} must be text of at most {MAX_TEXT} characters"
        )
        return value
    if kind is bool:
        refuse_if(not isinstance(value, bool), f"{name} must be true or false")
        return value
    if kind is int and isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON does not tell 20 from 20.0
    fits = isinstance(value, int) if kind is int else isinstance(value, int | float)
    refuse_if(
        not fits or isinstance(value, bool) or not -MAX_NUMBER <= value <= MAX_NUMBER,
        f"{name} must be a {'whole ' if kind is int else ''}number of at most {MAX_NUMBER:,}",
    )
    return value


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: what it does and what it takes."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]

    def document(self) -> dict[str, Any]:
        """Return the tool's document in the form of the paper's Figure 11."""
        return {
            "name": self.name,
            "description": self.description,
            "parameters": {
                "type": "object",
                "properties": {parameter.name: parameter.schema() for parameter in self.parameters},
                "required": [parameter.name for parameter in self.parameters if parameter.required],
            },
        }

    def check(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters, each of its type; raises `ToolError`."""
        parameters = {parameter.name: parameter for parameter in self.parameters}
        for name in params:
            refuse_if(name not in parameters, f"{self.name} has no parameter {quoted(name)}")
        for parameter in self.parameters:
            refuse_if(
                parameter.required and parameter.name not in params,
                f"{self.name} needs the parameter {parameter.name!r}",
            )
        return {name: parameters[name].check(value) for name, value in params.items()}


class Toolbox:
    """A family of tools over one state; nothing is shared between objects.

    Parameters
    ----------
    initial
        The state to begin with, a JSON object of the form `Initial`; not changed.

    Attributes
    ----------
    data
        The current state, a JSON object.
    """

    #: Type of the initial state: a ``TypedDict``.
    Initial: ClassVar[type] = InitialState
    #: Fields of the state that calls change; they are compared after a run.
    COMPARED: ClassVar[tuple[str, ...]] = ()

    def __init__(self, initial: Mapping[str, Any]) -> None:
        self.data: dict[str, Any] = deepcopy(dict(initial))

    @classmethod
    @cache
    def tools(cls) -> dict[str, Tool]:
        """Tools by name, in the order of their definition."""
        tools_by_name = {}
        for name, method in vars(cls).items():
            if getattr(method, "is_tool", False):
                hints = get_type_hints(method, include_extras=True)
                parameters = tuple(
                    _parameter(one, hints[one.name])
                    for one in inspect.signature(method).parameters.values()
                    if one.name != "self"
                )
                tools_by_name[name] = Tool(name, " ".join((inspect.getdoc(method) or "").split()), parameters)
        return tools_by_name

    def call(self, name: str, params: Mapping[str, Any]) -> Any:
        """Call a tool and return its result, a JSON value.

        A call that fails changes nothing and returns ``{"error": why}``.
        """
        tool = self.tools().get(name)
        if tool is None:
            return {"error": f"there is no tool {name[:80]!r}"}
        try:
            return getattr(self, name)(**tool.check(params))
        except ToolError as error:
            return {"error": str(error)}

    def state(self) -> dict[str, Any]:
        """Return a copy of the state that is compared after a run, as a JSON object."""
        return deepcopy({name: self.data[name] for name in self.COMPARED})


def _parameter(one: inspect.Parameter, hint: Any) -> Parameter:
    assert get_origin(hint) is Annotated, f"{one.name} must be Annotated[type, description]"
    kind, description = get_args(hint)
    return Parameter(one.name, kind, description, one.default is inspect.Parameter.empty)
