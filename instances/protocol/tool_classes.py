"""Classes of tools: their public methods are functions that agents call.

Other packages declare entry points of the group `GROUP`, each the path of a class, or call `planoracle.register`. The
user names files with such classes on the command line, which passes them to worker processes in an environment
variable; no problem and no submission can name one.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from hashlib import blake2b
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from itertools import chain
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Annotated, Any, NoReturn, get_args, get_origin

from planoracle.instances.errors import InputError, in_field
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.contributions import Contributions

#: Group of the entry points of classes of tools.
GROUP = "planoracle.tools"
#: Method of a class that takes the initial state as one object, in place of the parameters of the constructor.
LOADER = "_load_scenario"
# Environment variable with the files and their digests, as a JSON object: worker processes read it.
_VARIABLE = "PLANORACLE_TOOLS"
_METHODS = (FunctionType, staticmethod, classmethod)
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


# Methods and their documents


def public_methods(tool_class: type) -> dict[str, Callable[..., Any]]:
    """Return the public methods of a class by name, without the object, in the order of their definition."""
    methods: dict[str, Callable[..., Any]] = {}
    for base in reversed(tool_class.__mro__[:-1]):
        for name in vars(base):
            method = inspect.getattr_static(tool_class, name)
            if not name.startswith("_") and isinstance(method, _METHODS):
                methods[name] = getattr(tool_class, name)
    return methods


def parameters_of(function: Callable[..., Any], *, is_bound: bool) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function by name, with the types of their annotations.

    Parameters
    ----------
    function
        A function.
    is_bound
        False if its first parameter is the object.

    Raises
    ------
    InputError
        For a parameter without a name or an annotation, or with one that is no type of JSON values.
    """
    try:
        parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    except (NameError, TypeError, ValueError, AttributeError, SyntaxError) as error:
        raise InputError(f"has annotations that cannot be read: {error}") from None
    if not is_bound:
        parameters = parameters[1:]
    named = {}
    for parameter in parameters:
        if parameter.kind not in _BY_NAME:
            raise InputError("must have named parameters only", value=str(parameter))
        if parameter.annotation is inspect.Parameter.empty:
            message = "has no annotation; each parameter needs a type of JSON values, such as str, int or list[str]"
            raise InputError(message, field=parameter.name)
        _schema(parameter)
        named[parameter.name] = parameter
    return named


def _schema(parameter: inspect.Parameter) -> dict[str, Any]:
    """Return the JSON Schema of the type of a parameter; raises `InputError` for a type without."""
    from pydantic import PydanticUserError, TypeAdapter  # slow to import

    annotation = parameter.annotation
    try:
        schema = TypeAdapter(annotation).json_schema()
    except (PydanticUserError, NameError):  # a name within a type, as in list["Nope"]
        message = "must be annotated with a type of JSON values, such as str, int or list[str]"
        raise InputError(message, field=parameter.name, value=annotation) from None
    texts = [text for text in get_args(annotation)[1:] if isinstance(text, str)]
    if get_origin(annotation) is Annotated and texts:
        schema["description"] = texts[0]
    if isinstance(parameter.default, str | int | float | None):
        schema["default"] = parameter.default
    return schema


@cache
def documents(tool_class: type) -> dict[str, dict[str, Any]]:
    """Return the documents of the public methods by name, as prompts have them.

    A document has the name, the docstring as description, and the JSON Schema of the parameters, each described by
    ``Annotated[type, "description"]`` if it is.

    Raises
    ------
    InputError
        See `parameters_of`.
    """
    documents_by_name = {}
    for name, method in public_methods(tool_class).items():
        with in_field(name):
            documents_by_name[name] = _document(name, method, tool_class)
    return documents_by_name


def _document(name: str, method: Callable[..., Any], tool_class: type) -> dict[str, Any]:
    is_bound = not isinstance(inspect.getattr_static(tool_class, name), FunctionType)
    properties: dict[str, dict[str, Any]] = {}
    required = []
    for parameter in parameters_of(method, is_bound=is_bound).values():
        properties[parameter.name] = _schema(parameter)
        if parameter.default is inspect.Parameter.empty:
            required.append(parameter.name)
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": inspect.getdoc(method) or "", "parameters": parameters}


# Classes by name


def _check(tool_class: object, name: str) -> None:
    """Raise `InputError` for an object of another package that is no class of tools."""
    field = f"{GROUP}.{name}"
    if not isinstance(tool_class, type):
        raise InputError("must be a class", field=field, value=tool_class)
    with in_field(field):
        check_class(tool_class, name)


def check_class(tool_class: type, name: str) -> None:
    """Raise `InputError` for a class that is no class of tools, or whose name is that of a bundled family."""
    if name in _bundled_names():
        raise InputError("is the name of a bundled tool family; use another name", value=name)
    if not documents(tool_class):
        raise InputError("must be a class with public methods", value=tool_class.__name__)
    if not tool_class.__dictoffset__:
        raise InputError("must not have __slots__: its state are its public attributes", value=tool_class.__name__)
    if not hasattr(tool_class, LOADER):
        with in_field("__init__"):
            parameters_of(tool_class, is_bound=True)


@cache
def _bundled_names() -> frozenset[str]:
    """Return the names of the tool families of all benchmarks."""
    benchmarks = map(registry.get, registry.names())
    return frozenset(chain.from_iterable(benchmark.tool_families for benchmark in benchmarks))


class _ToolClasses(Contributions[type]):
    """Classes of tools of other packages; their names are those of classes or others."""

    NAME = re.compile("[A-Za-z][A-Za-z0-9_]*")
    NAME_IN_WORDS = "must be letters, digits and underscores, with a letter first"


_CONTRIBUTIONS = _ToolClasses(GROUP, "class of tools", _check)


def register(tool_class: type, name: str | None = None) -> None:
    """Add a class of tools to this process; raises `InputError` if it is none, or for a name that is used.

    Parameters
    ----------
    tool_class
        The class.
    name
        Its name, by default that of the class.
    """
    _CONTRIBUTIONS.register(tool_class, name or tool_class.__name__, by_name())


def by_name() -> dict[str, type]:
    """Return all classes of tools by name: those of entry points, registered ones, and those of files.

    Raises
    ------
    InputError
        For a class, a name or a file that is not accepted.
    """
    classes = _CONTRIBUTIONS.by_name()
    return {**classes, **_in_files(os.environ.get(_VARIABLE, ""), frozenset(classes))}


def digests() -> tuple[str, ...]:
    """Return digests of the code of all classes of tools; stored results are out of date when they change."""
    classes = _CONTRIBUTIONS.by_name().values()
    packages = sorted({tool_class.__module__.partition(".")[0] for tool_class in classes})
    sources = (registry.source_digest(tuple(packages)),) if packages else ()
    return *sources, *_files(os.environ.get(_VARIABLE, "")).values()


# Files


def use_files(paths: Iterable[str | Path]) -> None:
    """Set the files with classes of tools, for this process and its children; raises `InputError`."""
    digests_by_path = {str(path): _digest(str(path)) for path in paths}  # workers start in the same folder
    os.environ[_VARIABLE] = json.dumps(digests_by_path)
    if not digests_by_path:
        del os.environ[_VARIABLE]


def _files(variable: str) -> dict[str, str]:
    """Return the digests of the files in the environment variable by path."""
    return dict(json.loads(variable or "{}"))


def _digest(path: str) -> str:
    try:
        return blake2b(Path(path).read_bytes(), digest_size=16).hexdigest()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=path) from None


@lru_cache(maxsize=1)
def _in_files(variable: str, used: frozenset[str]) -> dict[str, type]:
    """Return the classes in the files of the environment variable; ``used`` are names of others."""
    classes: dict[str, type] = {}
    for path, digest in _files(variable).items():
        for tool_class in _classes_of(path, digest):
            name = tool_class.__name__
            if name in used or name in classes:
                raise InputError("is the name of another class of tools", source=path, field="class", value=name)
            try:
                check_class(tool_class, name)
            except InputError as error:
                raise error.at(path, f"class {name}") from None
            classes[name] = tool_class
    return classes


def _classes_of(path: str, digest: str) -> list[type]:
    """Return the classes that a file lists in ``__all__``, or else its public ones with public methods."""
    module = _module(path, digest)
    values = vars(module)
    classes: dict[type, str] = {}
    for name in values.get("__all__", ()):
        if not isinstance(values.get(name), type):
            raise InputError("must list classes of tools", source=path, field="__all__", value=name)
        classes[values[name]] = name
    if "__all__" not in values:
        own_classes = [value for value in values.values() if getattr(value, "__module__", "") == module.__name__]
        classes = {value: value.__name__ for value in own_classes if _is_public(value)}
    if not classes:
        message = "has no class of tools; it needs a public class with public methods"
        raise InputError(message, source=path)
    return list(classes)


def _is_public(value: object) -> bool:
    return isinstance(value, type) and not value.__name__.startswith("_") and bool(public_methods(value))


class _SourceLoader(SourceFileLoader):
    """Loader of a file that neither reads nor writes compiled code, which could be older than the file."""

    def path_stats(self, path: str) -> NoReturn:
        """Say that there is no compiled code."""
        raise OSError


@cache
def _module(path: str, digest: str) -> ModuleType:
    """Run a file as a module, whose name has the digest of the file."""
    loader = _SourceLoader(f"_planoracle_tools_{digest}", path)
    module = module_from_spec(ModuleSpec(loader.name, loader, origin=path))
    module.__file__ = path
    sys.modules[loader.name] = module  # as an import does: dataclasses and pickles look it up
    try:
        loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(f"cannot be run: {type(error).__name__}: {error}", source=path) from error
    return module
