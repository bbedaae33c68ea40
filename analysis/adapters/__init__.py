"""Adapters to frameworks: inspect_ai, Gymnasium and the Model Context Protocol.

Each adapter needs libraries of an extra, so its module is imported at its first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from planoracle.instances.errors import InputError


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


def inspect_tasks() -> Any:
    """Import the module with the tasks for inspect_ai; raises `InputError` without the extra."""
    need("inspect_ai", "inspect")
    return import_module(f"{__name__}.inspect_tasks")
