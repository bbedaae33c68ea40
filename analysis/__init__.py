"""Grading, statistics, comparison, diagnosis, figures, report, agents, adapters and the command line."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def module_of(package: str, name: str) -> ModuleType:
    """Return a module of a package for the function ``__getattr__`` of that package.

    Raises
    ------
    AttributeError
        If the package has no such module.
    """
    path = f"{package}.{name}"
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        if error.name != path:
            raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}") from None
