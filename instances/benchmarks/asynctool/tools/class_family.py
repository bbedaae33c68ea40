"""Tool families of a user: a class, adapted to the interface of the bundled families."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cache
from typing import Any, ClassVar, NotRequired

from planoracle.instances.benchmarks.asynctool.tools.base import ToolError, ToolFamily, check_names, fields
from planoracle.instances.errors import InputError
from planoracle.instances.protocol.tool_classes import LOADER, documents, parameters_of


class ClassFamily(ToolFamily):
    """Object of a class of tools, see `planoracle.instances.protocol.tool_classes`.

    The initial state are the arguments of the constructor, or the object that the method `LOADER` takes. The state
    after a run are the public attributes. A method that raises an error, or returns an object with ``error``, fails.
    """

    tool_class: ClassVar[type]

    def __init__(self, initial: Mapping[str, Any]) -> None:
        arguments = deepcopy(dict(initial))
        try:
            if hasattr(self.tool_class, LOADER):
                self.tools = self.tool_class()
                getattr(self.tools, LOADER)(arguments)
            else:
                self.tools = self.tool_class(**arguments)
        except Exception as error:
            raise InputError(f"is refused by the tools: {_words(error)}", field="initial", value=initial) from error

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle an object by its tools: the class of this one has no name in a module."""
        return _restore, (self.tools,)

    @classmethod
    @cache
    def documents(cls) -> dict[str, dict[str, Any]]:
        """Documents of the public methods by name."""
        return documents(cls.tool_class)

    def call(self, name: str, params: Mapping[str, Any]) -> Any:
        """Call a method and return a copy of its result, a JSON value.

        Raises
        ------
        InputError
            For a result that is no JSON value.
        """
        document = self.documents().get(name)
        if document is None:
            return {"error": f"there is no tool {name[:80]!r}"}
        parameters = document["parameters"]
        try:
            check_names(name, params, parameters["properties"], parameters["required"])
            result = getattr(self.tools, name)(**deepcopy(dict(params)))
        except ToolError as error:
            return {"error": str(error)}
        except MemoryError:
            raise
        except Exception as error:
            return {"error": _words(error)}
        try:
            return json.loads(json.dumps(result, allow_nan=False))
        except (TypeError, ValueError):
            method = f"{self.tool_class.__name__}.{name}"
            raise InputError("must return a JSON value", field=method, value=type(result).__name__) from None

    def state(self) -> dict[str, Any]:
        """Return the public attributes; they are compared by ``==``."""
        return {name: value for name, value in vars(self.tools).items() if not name.startswith("_")}

    @classmethod
    def check_repeatable(cls, initial: Mapping[str, Any], calls: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Raise `InputError` unless an object and its copy have equal results and states after the same calls.

        Else a grade would depend on chance: on a random result, or on the identity of an object without ``__eq__``.
        """
        executor = cls(initial)
        name = cls.tool_class.__name__
        try:
            difference = _difference(executor, deepcopy(executor), calls)
        except InputError:
            raise
        except Exception as error:
            message = f"must have objects that deepcopy copies and == compares: {_words(error)}"
            raise InputError(message, field="family", value=name) from error
        if difference:
            message = f"must give equal calls equal results, and equal objects equal attributes: {difference}"
            raise InputError(message, field="family", value=name)


def _difference(executor: ClassFamily, copy: ClassFamily, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Return the first difference of an executor and its copy after the same calls, or ``""``."""
    for name, params in calls:
        if executor.call(name, params) != copy.call(name, params):
            return f"two calls of {name} differ"
    copied_state = copy.state()
    for name, value in executor.state().items():
        is_equal = name in copied_state and value == copied_state[name]
        if not is_equal:
            return f"the attribute {name} differs after two runs"
    return ""


def _words(error: Exception) -> str:
    """Return an error as text for the agent."""
    return f"{type(error).__name__}: {error}"


@cache
def family_of_class(tool_class: type) -> type[ClassFamily]:
    """Return the tool family of a class."""
    initial: Any = dict[str, Any]
    if not hasattr(tool_class, LOADER):
        types = {}
        for name, parameter in parameters_of(tool_class, is_bound=True).items():
            is_required = parameter.default is inspect.Parameter.empty
            types[name] = parameter.annotation if is_required else NotRequired[parameter.annotation]
        initial = fields(**types)
    return type(tool_class.__name__, (ClassFamily,), {"tool_class": tool_class, "Initial": initial})


def _restore(tools: object) -> ClassFamily:
    """Return the executor of an object of a class of tools."""
    tool_class: type = type(tools)
    family = family_of_class(tool_class)
    executor = family.__new__(family)
    executor.tools = tools
    return executor
