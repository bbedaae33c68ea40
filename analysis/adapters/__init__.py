"""Adapters to frameworks: inspect_ai, Gymnasium and the Model Context Protocol.

Each adapter needs libraries of an extra, so its module is imported at its first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from planoracle.instances.errors import InputError


def __getattr__(name: str) -> Any:
    """Return a module of this package."""
    path = f"{__name__}.{name}"
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        if error.name != path:
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


def need(library: str, extra: str) -> None:
    """Import a library of an extra.

    Raises
    ------
    InputError
        If the library is not installed; the message names the extra.

    Examples
    --------
    >>> need("sundial", "clocks")
    Traceback (most recent call last):
      ...
    planoracle.instances.errors.InputError: sundial: is not installed: pip install 'planoracle[clocks]'
    """
    try:
        import_module(library)
    except ImportError:
        raise InputError(f"is not installed: pip install 'planoracle[{extra}]'", field=library) from None
